// SPDX-License-Identifier: BSD-2-Clause
#include "facts/cpu_tracker.h"

#include <limits>

#include "branches/last_branch.h"
#include "facts/recorder_facts.h"
#include "facts/scheduling.h"
#include "schema/koid.h"

namespace facts {

void CpuTracker::Note(const fxt::Reader& reader) {
  const auto record = AsSwitch(reader.record(), reader.provider());
  if (!record) return;
  on_cpu_.erase(record->outgoing.thread);
  // Where switches were lost, another one was there.
  const auto before = running_.find(record->cpu);
  if (before != running_.end()) {
    const auto there = on_cpu_.find(before->second);
    if (there != on_cpu_.end() && there->second == record->cpu) on_cpu_.erase(there);
    running_.erase(before);
  }
  if (record->incoming.idle) return;
  on_cpu_[record->incoming.thread] = record->cpu;
  running_[record->cpu] = record->incoming.thread;
}

std::optional<uint32_t> CpuTracker::CpuOf(const fxt::Reader& reader) const {
  const fxt::Record& record = reader.record();
  if (const auto* legacy = std::get_if<fxt::LegacyContextSwitch>(&record)) return legacy->cpu;
  if (const auto* newer = std::get_if<fxt::ContextSwitch>(&record)) return newer->cpu;
  if (const auto* wakeup = std::get_if<fxt::ThreadWakeup>(&record)) return wakeup->cpu;
  if (const auto* blob = std::get_if<fxt::Blob>(&record)) {
    const auto view = branches::LastBranchView::Of(*blob);
    return view ? std::optional<uint32_t>(view->cpu()) : std::nullopt;
  }
  if (const auto* event = std::get_if<fxt::Event>(&record)) {
    const auto cpu = IntegerValue(FindArgument(event->arguments, "cpu"));
    if (cpu && *cpu >= 0 && *cpu <= std::numeric_limits<uint32_t>::max()) {
      return static_cast<uint32_t>(*cpu);
    }
  }
  const fxt::ThreadRef* thread = ThreadOf(record);
  if (thread == nullptr) return std::nullopt;
  if (reader.provider().name() == schema::kRecorderName && schema::IsCpuTrack(thread->thread)) {
    return schema::TidOfKoid(thread->thread);
  }
  const auto running = on_cpu_.find(thread->thread);
  return running == on_cpu_.end() ? std::nullopt : std::optional(running->second);
}

}  // namespace facts
