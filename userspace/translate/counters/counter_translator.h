// SPDX-License-Identifier: BSD-2-Clause
// Translates --counters deltas into a counter record at the end of each run, on the thread that
// ran.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fxt/string_pool.h"
#include "fxt_record/slot_body.h"
#include "model/task_tracker.h"
#include "translate/file/trace_writer.h"

namespace translate {

class CounterTranslator {
 public:
  // `names` are indexed by counter number. `file` and `tasks` outlive the translator.
  CounterTranslator(TraceWriter& file, model::TaskTracker& tasks,
                    const std::vector<std::string>& names);

  // The counters of a run arrive in ascending order. Returns false for an unknown counter.
  bool OnSlot(uint32_t cpu, uint64_t time, const fxr_counter_body& body);

 private:
  struct Run {
    uint32_t tid = 0;
    uint32_t counted = 0;  // one bit per counter
    uint32_t partial = 0;  // counters that perf multiplexed
    std::array<uint64_t, FXR_MAX_COUNTERS> counts{};
  };
  void Write(uint64_t time, const Run& run);

  TraceWriter& file_;
  model::TaskTracker& tasks_;
  std::vector<fxt::StringId> names_;
  fxt::StringId run_;
  fxt::StringId partial_;
  std::map<uint32_t, Run> runs_;  // by CPU: the current run
};

}  // namespace translate
