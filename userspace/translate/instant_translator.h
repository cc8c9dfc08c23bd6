// SPDX-License-Identifier: BSD-2-Clause
// Translates slot types of shape INSTANT (event_table.h) into instants on their threads.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "fxt_record/event.h"
#include "model/task_tracker.h"
#include "schema/event_info.h"
#include "translate/file/trace_writer.h"
#include "translate/interrupt_translator.h"
#include "translate/kernel/function_names.h"
#include "translate/sched_translator.h"
#include "translate/translation_stats.h"

namespace translate {

class InstantTranslator {
 public:
  InstantTranslator(TraceWriter& file, model::TaskTracker& tasks, SchedTranslator& sched,
                    InterruptTranslator& interrupts, FunctionNames& functions,
                    TranslationStats& stats);

  // True if slots of this type are instants.
  bool Handles(uint32_t type) const { return type < texts_.size() && texts_[type].is_instant; }
  // `type` must satisfy Handles(). `time` is ns of the file's clock.
  void OnSlot(uint32_t type, uint32_t cpu, uint64_t time, uint64_t body, uint64_t extra);

 private:
  struct Texts {
    bool is_instant = false;
    fxt::StringId name{};
    std::vector<fxt::StringId> arguments;
  };
  // A field before its record. Threads and strings it refers to must be written before the record
  // begins.
  struct ShownField {
    const schema::FieldInfo* field = nullptr;
    uint64_t value = 0;
    fxt::StringId text{};
    fxt::Koid koid = 0;
  };

  ShownField Show(const schema::FieldInfo& field, uint64_t value);

  TraceWriter& file_;
  model::TaskTracker& tasks_;
  SchedTranslator& sched_;
  InterruptTranslator& interrupts_;
  FunctionNames& functions_;
  TranslationStats& stats_;
  std::array<Texts, FXR_SLOT_TYPES> texts_;
};

}  // namespace translate
