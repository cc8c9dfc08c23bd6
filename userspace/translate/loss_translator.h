// SPDX-License-Identifier: BSD-2-Clause
// Writes losses into the file at their time: a provider event, an instant and a counter.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "fxt_record/event.h"
#include "translate/file/trace_writer.h"
#include "translate/translation_stats.h"

namespace translate {

class LossTranslator {
 public:
  LossTranslator(TraceWriter& file, TranslationStats& stats) : file_(file), stats_(stats) {}

  // `cpu` -1: the loss belongs to no CPU. `time` is ns of the file's clock.
  void OnLoss(int32_t cpu, uint64_t time, uint32_t category, uint64_t count);

  // The recorder's own track, which also has the session description.
  model::ThreadHandle RecorderTrack();
  // Lost events by CPU and category.
  const std::map<std::pair<int32_t, uint32_t>, uint64_t>& totals() const { return totals_; }

 private:
  TraceWriter& file_;
  TranslationStats& stats_;
  model::ThreadHandle track_ = model::kNoHandle;
  std::map<std::pair<int32_t, uint32_t>, uint64_t> totals_;
};

}  // namespace translate
