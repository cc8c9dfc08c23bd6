// SPDX-License-Identifier: BSD-2-Clause
// Translates kernel log messages into log records, and into instants because viewers show only
// those.
#pragma once

#include <cstdint>

#include "fxt_record/event.h"
#include "model/task_table.h"
#include "translate/file/trace_writer.h"
#include "translate/translation_stats.h"

namespace translate {

class LogTranslator {
 public:
  LogTranslator(TraceWriter& file, TranslationStats& stats) : file_(file), stats_(stats) {}

  // `time` is ns of the file's clock; `thread` printed the message.
  void OnMessage(uint64_t time, model::ThreadHandle thread, const fxr_log& event);

 private:
  TraceWriter& file_;
  TranslationStats& stats_;
};

}  // namespace translate
