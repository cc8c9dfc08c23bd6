// SPDX-License-Identifier: BSD-2-Clause
// Translates interrupt handlers into durations, hardirqs and softirqs on a track per CPU each.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "fxt_record/slot_body.h"
#include "model/identity_source.h"
#include "translate/file/trace_writer.h"
#include "translate/translation_stats.h"

namespace translate {

class InterruptTranslator {
 public:
  InterruptTranslator(TraceWriter& file, model::IdentitySource& identities, TranslationStats& stats)
      : file_(file), identities_(identities), stats_(stats) {}

  // Times are ns of the file's clock; bodies are defined in event_table.h.
  void OnIrqEntry(uint32_t cpu, uint64_t time, const fxr_irq_entry_body& event);
  void OnIrqExit(uint32_t cpu, uint64_t time, const fxr_irq_exit_body& event);
  void OnSoftirqEntry(uint32_t cpu, uint64_t time, const fxr_softirq_entry_body& event);
  void OnSoftirqExit(uint32_t cpu, uint64_t time, const fxr_softirq_exit_body& event);

  // Events of category `irq` or `softirq` were lost on a CPU, or on any CPU if `cpu` < 0. Ends the
  // durations of running handlers there, because their ends may be lost.
  void OnLoss(int32_t cpu, uint64_t time, fxr_category category);

  // The hardirq track of the CPU.
  model::ThreadHandle IrqTrack(uint32_t cpu);
  // The softirq track of the CPU.
  model::ThreadHandle SoftirqTrack(uint32_t cpu);

 private:
  struct Track {
    model::ThreadHandle thread = model::kNoHandle;
    std::vector<fxt::StringId> open = {};  // names of the handlers that are running
  };
  Track& TrackOf(std::vector<Track>& tracks, uint32_t cpu, bool soft);
  void WriteEnd(Track& track, uint64_t time, fxr_category category, fxt::StringId name);
  void Begin(Track& track, uint64_t time, fxr_category category, fxt::StringId name);
  void End(Track& track, uint64_t time, fxr_category category, fxt::StringId name);
  fxt::StringId IrqName(uint32_t irq);
  fxt::StringId SoftirqName(uint32_t vector);

  TraceWriter& file_;
  model::IdentitySource& identities_;
  TranslationStats& stats_;
  std::vector<Track> irq_tracks_;
  std::vector<Track> softirq_tracks_;
  model::ProcessHandle irq_process_ = model::kNoHandle;
  model::ProcessHandle softirq_process_ = model::kNoHandle;
  std::unordered_map<uint32_t, fxt::StringId> irq_names_;
  std::vector<fxt::StringId> softirq_names_;
};

}  // namespace translate
