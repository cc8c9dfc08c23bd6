// SPDX-License-Identifier: BSD-2-Clause
// Sees to it that a journal has what addresses mean: the mappings of every process that a stack is
// of, asked while the process is there.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "fxt_record/event.h"
#include "model/identity_source.h"
#include "perf/record/branch_stack_sample.h"
#include "perf/record/record_decoder.h"
#include "session/journal.h"

namespace session {

class JournalMappings {
 public:
  // Both outlive it. `is_wanted`: addresses are recorded at all.
  JournalMappings(Journal& journal, model::IdentitySource& live, bool is_wanted)
      : journal_(journal), live_(live), is_wanted_(is_wanted) {}

  bool is_wanted() const { return is_wanted_; }
  // Before the event is in the journal.
  void OnSideEvent(const fxr_side_header& event);
  void OnBranchSample(const perf::BranchStackSample& sample);
  // Appends it. `time`: ns of CLOCK_MONOTONIC.
  void OnMapping(uint64_t time, const perf::MmapRecord& record);
  // What was mapped for a while nobody told: all are asked anew.
  void AskAnew() { asked_.clear(); }

 private:
  void Ask(uint32_t tgid, uint64_t time);

  Journal& journal_;
  model::IdentitySource& live_;
  const bool is_wanted_;
  std::unordered_set<uint32_t> asked_;  // processes
};

}  // namespace session
