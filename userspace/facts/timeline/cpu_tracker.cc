// SPDX-License-Identifier: BSD-2-Clause
#include "facts/timeline/cpu_tracker.h"

#include <limits>

#include "branches/last_branch.h"
#include "facts/scheduling.h"
#include "schema/koid.h"
#include "schema/names.h"

namespace facts {

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
    const auto cpu = IntegerValue(FindArgument(event->arguments, schema::argument::kCpu));
    if (cpu && *cpu >= 0 && *cpu <= std::numeric_limits<uint32_t>::max()) {
      return static_cast<uint32_t>(*cpu);
    }
  }
  const fxt::ThreadRef* thread = ThreadOf(record);
  if (thread == nullptr) return std::nullopt;
  if (reader.provider().name() == schema::kRecorderName && schema::IsCpuTrack(thread->thread)) {
    return schema::TidOfKoid(thread->thread);
  }
  return timeline_.CpuOf(thread->thread);
}

}  // namespace facts
