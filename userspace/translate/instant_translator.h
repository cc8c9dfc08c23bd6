// SPDX-License-Identifier: BSD-2-Clause
// Events of which event_table.h says all: instants on the thread that they happened to.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "fxt_record/event.h"
#include "model/task_tracker.h"
#include "translate/file/trace_file.h"
#include "translate/sched_translator.h"
#include "translate/translation_stats.h"

namespace translate {

class InstantTranslator {
 public:
  InstantTranslator(TraceFile& file, model::TaskTracker& tasks, SchedTranslator& sched,
                    TranslationStats& stats);

  // Whether slots of this type are instants.
  bool Knows(uint32_t type) const { return type < texts_.size() && texts_[type].is_instant; }
  // `type`: one that it knows. `time` in ns of the file's clock.
  void OnSlot(uint32_t type, uint32_t cpu, uint64_t time, uint64_t body, uint64_t extra);

 private:
  struct Texts {
    bool is_instant = false;
    fxt::StringId name{};
    std::vector<fxt::StringId> arguments;
  };

  TraceFile& file_;
  model::TaskTracker& tasks_;
  SchedTranslator& sched_;
  TranslationStats& stats_;
  std::array<Texts, FXR_SLOT_TYPES> texts_;
};

}  // namespace translate
