// SPDX-License-Identifier: BSD-2-Clause
// The data of a snapshot: copies of the buffer and of the tasks, independent of the recording.
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
#include "session/settings_history.h"

namespace session {

// Times are ns of CLOCK_MONOTONIC.
struct Window {
  capture::RingImage slots;
  // The tasks before the first event of the journal.
  std::unique_ptr<KeptIdentities> identities;
  std::unique_ptr<model::TaskTracker> tasks;
  Journal::View journal;
  int64_t clock_offset = 0;  // before the journal's first event
  bool stopped = false;      // the recording was stopped before the journal's first event
  uint64_t begin = 0;        // the left edge: the data is complete from here on
  uint64_t end = 0;
  // The tasks at the end; may be empty.
  std::vector<fxr_task> final_tasks;
  // Records of providers up to the end or later.
  provider::ProviderRecords provider_records = {};
  // In time order. Settings of processes that did not run are not written.
  std::vector<TimedSettings> settings = {};
};

}  // namespace session
