// SPDX-License-Identifier: BSD-2-Clause
// What --counters counted: a counter record at the end of each run of a thread, on the thread, with
// the run's counts.
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
  // `names` are those of the counters by their numbers. All but them outlive the translator.
  CounterTranslator(TraceWriter& file, model::TaskTracker& tasks,
                    const std::vector<std::string>& names);

  // A run's counters come one after the other, the highest number last. False: there is no such
  // counter.
  bool OnSlot(uint32_t cpu, uint64_t time, const fxr_counter_body& body);

 private:
  struct Run {
    uint32_t tid = 0;
    uint32_t counted = 0;  // a bit for each counter
    uint32_t partial = 0;  // those that did not count all the time
    std::array<uint64_t, FXR_MAX_COUNTERS> counts{};
  };
  void Write(uint64_t time, const Run& run);

  TraceWriter& file_;
  model::TaskTracker& tasks_;
  std::vector<fxt::StringId> names_;
  fxt::StringId run_;
  fxt::StringId partial_;
  std::map<uint32_t, Run> runs_;  // by CPU, what has come of the present one
};

}  // namespace translate
