// SPDX-License-Identifier: BSD-2-Clause
// Translates CPU frequencies and idle states into counters; a counter's id is the CPU.
#pragma once

#include <cstdint>

#include "fxt_record/slot_body.h"
#include "model/task_table.h"
#include "translate/file/trace_writer.h"

namespace translate {

class PowerTranslator {
 public:
  explicit PowerTranslator(TraceWriter& file);  // outlives the translator

  // `time` is ns of the file's clock.
  void OnFrequency(uint64_t time, const fxr_cpu_frequency_body& event) {
    Write(time, frequency_, event.cpu, event.value);
  }
  void OnIdle(uint64_t time, const fxr_cpu_idle_body& event) {
    Write(time, idle_, event.cpu, static_cast<int32_t>(event.value));
  }

 private:
  void Write(uint64_t time, fxt::StringId name, uint32_t cpu, int64_t value);

  TraceWriter& file_;
  fxt::StringId frequency_, idle_;
  model::ThreadHandle track_ = model::kNoHandle;
};

}  // namespace translate
