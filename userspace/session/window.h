// SPDX-License-Identifier: BSD-2-Clause
// What a snapshot is written from: a copy of the buffer and of who is who, apart from the
// recording.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "capture/rings/ring_image.h"
#include "fxt_record/event.h"
#include "model/task_tracker.h"
#include "provider/record_batch.h"
#include "session/durable_tasks.h"
#include "session/journal.h"

namespace session {

// Times are ns of CLOCK_MONOTONIC.
struct Window {
  capture::RingImage slots;
  // Who tasks were before the journal's first event.
  std::unique_ptr<KeptIdentities> identities;
  std::unique_ptr<model::TaskTracker> tasks;
  Journal::View journal;
  int64_t clock_offset = 0;  // before the journal's first event
  bool stopped = false;      // likewise: the recording was stopped then
  uint64_t begin = 0;        // the left edge: from here on nothing is missing
  uint64_t end = 0;
  // Tasks as they are at the end; empty if they were not asked.
  std::vector<fxr_task> final_tasks;
  // What providers had at the end, or later.
  provider::ProviderRecords provider_records = {};
};

}  // namespace session
