// SPDX-License-Identifier: BSD-2-Clause
// What a journal keeps that did not come by the side ring: events of perf's rings, and who tasks
// are when that was asked.
#pragma once

#include <cstdint>

#include "fxt_record/event.h"
#include "model/identity_source.h"
#include "perf/record/branch_stack_sample.h"
#include "perf/record/record_decoder.h"
#include "session/journal.h"

namespace session {

// Who a task is, as a fork and a rename at this time, ns of CLOCK_MONOTONIC, which are recorded as
// neither. The fork, in the journal.
const fxr_side_header& AppendKnownTask(uint64_t time, const fxr_task& task, Journal& journal);

// kJournalBranches.
void AppendBranches(const perf::BranchStackSample& sample, Journal& journal);
perf::BranchStackSample ReadBranches(const fxr_side_header& event);

// kJournalMapping. `time`: ns of CLOCK_MONOTONIC.
void AppendMapping(uint64_t time, const perf::MmapRecord& record, Journal& journal);
// What the process has mapped already, as if it were mapped now.
void AppendMapping(uint64_t time, uint32_t tgid, const model::ExecutableMapping& mapping,
                   Journal& journal);
// The record's file is good as long as the event is.
perf::MmapRecord ReadMapping(const fxr_side_header& event);

}  // namespace session
