// SPDX-License-Identifier: BSD-2-Clause
#include "facts/linux_state_tracker.h"

#include "schema/linux_state.h"
#include "schema/names.h"

namespace facts {
namespace {

constexpr size_t kMaxStateThreads = size_t{1} << 22;

}  // namespace

bool LinuxStateTracker::Note(const fxt::Event& event) {
  if (event.type != fxt::EventType::kInstant || event.name.text != schema::event::kLinuxState ||
      event.category.text != schema::category::kSched) {
    return false;
  }
  for (const fxt::Argument& argument : event.arguments) {
    const auto* value = std::get_if<fxt::StringRef>(&argument.value);
    if (value == nullptr || argument.name.text != schema::argument::kState) continue;
    const auto state = schema::StateOfLetters(value->text);
    if (!state) return false;
    // Of threads beyond these the usual states are assumed.
    if (told_.size() >= kMaxStateThreads && !told_.contains(event.thread.thread)) return true;
    told_[event.thread.thread][static_cast<size_t>(schema::ThreadStateOf(*state))] =
        schema::StateLetters(*state);
    return true;
  }
  return false;
}

std::string_view LinuxStateTracker::Letters(fxt::Koid thread, fxt::ThreadState state) const {
  const auto index = static_cast<size_t>(state);
  const auto told = told_.find(thread);
  if (told != told_.end() && index < told->second.size() && !told->second[index].empty()) {
    return told->second[index];
  }
  const auto usual = schema::UsualState(state);
  return usual ? schema::StateLetters(*usual) : "?";
}

fxt::ThreadState LinuxStateTracker::StateOf(std::string_view letters) {
  const auto state = schema::StateOfLetters(letters);
  return state ? schema::ThreadStateOf(*state) : fxt::ThreadState::kRunning;
}

}  // namespace facts
