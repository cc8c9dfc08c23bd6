// SPDX-License-Identifier: BSD-2-Clause
#include "translate/interrupt_translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "schema/koid.h"

namespace translate {
namespace {

// include/linux/interrupt.h, by vector; the last entry is for unknown vectors.
constexpr std::array<std::string_view, 11> kSoftirqNames = {
    "HI",      "TIMER", "NET_TX",  "NET_RX", "BLOCK",  "IRQ_POLL",
    "TASKLET", "SCHED", "HRTIMER", "RCU",    "softirq"};

}  // namespace

InterruptTranslator::Track& InterruptTranslator::TrackOf(std::vector<Track>& tracks, uint32_t cpu,
                                                         bool soft) {
  if (cpu >= tracks.size()) tracks.resize(cpu + 1);
  Track& track = tracks[cpu];
  if (track.thread != model::kNoHandle) return track;
  model::TaskTable& table = file_.tasks();
  model::ProcessHandle& process = soft ? softirq_process_ : irq_process_;
  if (process == model::kNoHandle) {
    process = soft ? table.PseudoProcess(schema::kSoftirqProcessKoid, "softirq")
                   : table.PseudoProcess(schema::kIrqProcessKoid, "irq");
  }
  track.thread =
      table.PseudoThread(process, soft ? schema::SoftirqKoid(cpu) : schema::IrqKoid(cpu),
                         soft ? fmt::format("softirq/{}", cpu) : fmt::format("irq/{}", cpu));
  return track;
}

model::ThreadHandle InterruptTranslator::IrqTrack(uint32_t cpu) {
  return TrackOf(irq_tracks_, cpu, false).thread;
}

model::ThreadHandle InterruptTranslator::SoftirqTrack(uint32_t cpu) {
  return TrackOf(softirq_tracks_, cpu, true).thread;
}

fxt::StringId InterruptTranslator::IrqName(uint32_t irq) {
  auto known = irq_names_.find(irq);
  if (known != irq_names_.end()) return known->second;
  std::string name = identities_.IrqName(irq);
  name = name.empty() ? fmt::format("irq {}", irq) : fmt::format("irq {} {}", irq, name);
  return irq_names_.emplace(irq, file_.Declare(name)).first->second;
}

fxt::StringId InterruptTranslator::SoftirqName(uint32_t vector) {
  if (softirq_names_.empty()) {
    for (std::string_view name : kSoftirqNames) softirq_names_.push_back(file_.Declare(name));
  }
  return softirq_names_[std::min<size_t>(vector, softirq_names_.size() - 1)];
}

void InterruptTranslator::Begin(Track& track, uint64_t time, fxr_category category,
                                fxt::StringId name) {
  track.open.push_back(name);
  file_.CountRefusal(file_.writer().WriteEvent(
      fxt::EventType::kDurationBegin, time, file_.Mention(track.thread), file_.Id(category), name));
  ++stats_.recorded[category];
}

void InterruptTranslator::WriteEnd(Track& track, uint64_t time, fxr_category category,
                                   fxt::StringId name) {
  track.open.pop_back();
  file_.CountRefusal(file_.writer().WriteEvent(
      fxt::EventType::kDurationEnd, time, file_.Mention(track.thread), file_.Id(category), name));
}

void InterruptTranslator::End(Track& track, uint64_t time, fxr_category category,
                              fxt::StringId name) {
  if (track.open.empty()) {
    ++stats_.unmatched_ends;
    return;
  }
  WriteEnd(track, time, category, name);
  ++stats_.recorded[category];
}

void InterruptTranslator::OnLoss(int32_t cpu, uint64_t time, fxr_category category) {
  if (category != FXR_CATEGORY_IRQ && category != FXR_CATEGORY_SOFTIRQ) return;
  std::vector<Track>& tracks = category == FXR_CATEGORY_IRQ ? irq_tracks_ : softirq_tracks_;
  for (size_t i = 0; i < tracks.size(); ++i) {
    if (cpu >= 0 && i != static_cast<size_t>(cpu)) continue;
    while (!tracks[i].open.empty()) WriteEnd(tracks[i], time, category, tracks[i].open.back());
  }
}

void InterruptTranslator::OnIrqEntry(uint32_t cpu, uint64_t time, const fxr_irq_entry_body& event) {
  Begin(TrackOf(irq_tracks_, cpu, false), time, FXR_CATEGORY_IRQ, IrqName(event.irq));
}

void InterruptTranslator::OnIrqExit(uint32_t cpu, uint64_t time, const fxr_irq_exit_body& event) {
  End(TrackOf(irq_tracks_, cpu, false), time, FXR_CATEGORY_IRQ, IrqName(event.irq));
}

void InterruptTranslator::OnSoftirqEntry(uint32_t cpu, uint64_t time,
                                         const fxr_softirq_entry_body& event) {
  Begin(TrackOf(softirq_tracks_, cpu, true), time, FXR_CATEGORY_SOFTIRQ, SoftirqName(event.vector));
}

void InterruptTranslator::OnSoftirqExit(uint32_t cpu, uint64_t time,
                                        const fxr_softirq_exit_body& event) {
  End(TrackOf(softirq_tracks_, cpu, true), time, FXR_CATEGORY_SOFTIRQ, SoftirqName(event.vector));
}

}  // namespace translate
