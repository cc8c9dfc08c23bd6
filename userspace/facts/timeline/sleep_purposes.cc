// SPDX-License-Identifier: BSD-2-Clause
#include "facts/timeline/sleep_purposes.h"

#include <algorithm>
#include <variant>

#include "facts/scheduling.h"
#include "schema/names.h"

namespace facts {

void SleepPurposes::Add(const fxt::Reader& reader) {
  const fxt::Record& record = reader.record();
  if (const auto* object = std::get_if<fxt::KernelObject>(&record)) {
    if (timeline_.IsKernels(reader.provider())) purposes_.NoteProgram(*object);
    return;
  }
  timeline_.Add(reader);
  const auto* event = std::get_if<fxt::Event>(&record);
  if (event == nullptr || event->type != fxt::EventType::kInstant ||
      event->category.text != schema::category::kTask) {
    return;
  }
  const ThreadIndex thread = timeline_.Find(event->thread.thread);
  if (event->name.text == schema::event::kFork) {
    const auto child = KoidOf(FindArgument(event->arguments, schema::argument::kChild));
    if (child) purposes_.NoteFork(thread, timeline_.Find(*child));
  } else if (event->name.text == schema::event::kExit) {
    purposes_.NoteExit(thread);
  }
}

const SleepPurposes::Sleep* SleepPurposes::Find(fxt::Koid thread, uint64_t begin) const {
  constexpr uint64_t kApart = 100'000;  // ns
  const auto sleep = sleeps_.find(thread);
  if (sleep == sleeps_.end()) return nullptr;
  const uint64_t other = sleep->second.begin;
  const bool is_same = std::max(other, begin) - std::min(other, begin) <= kApart;
  return is_same ? &sleep->second : nullptr;
}

}  // namespace facts
