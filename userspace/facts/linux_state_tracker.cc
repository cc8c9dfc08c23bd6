// SPDX-License-Identifier: BSD-2-Clause
#include "facts/linux_state_tracker.h"

#include "facts/recorder_facts.h"
#include "facts/scheduling.h"
#include "schema/names.h"

namespace facts {
namespace {

constexpr size_t kMaxStateThreads = size_t{1} << 20;

}  // namespace

std::optional<fxr_task_state> LinuxStateOf(const fxt::Event& event) {
  if (!IsLinuxState(event)) return std::nullopt;
  const auto letters = TextOf(FindArgument(event.arguments, schema::argument::kState));
  return letters ? schema::StateOfLetters(*letters) : std::nullopt;
}

bool LinuxStateTracker::Note(const fxt::Event& event) {
  const auto state = LinuxStateOf(event);
  if (!state) return false;
  // Threads beyond the limit have the usual states.
  if (threads_.size() < kMaxStateThreads || threads_.contains(event.thread.thread)) {
    threads_[event.thread.thread].Learn(*state);
  }
  return true;
}

std::string_view LinuxStateTracker::Letters(fxt::Koid thread, fxt::ThreadState state) const {
  if (!AssumedStates::IsOutgoing(state)) return "?";
  const auto found = threads_.find(thread);
  const AssumedStates states = found == threads_.end() ? AssumedStates() : found->second;
  return schema::StateLetters(states.Of(state));
}

fxt::ThreadState LinuxStateTracker::StateOf(std::string_view letters) {
  const auto state = schema::StateOfLetters(letters);
  return state ? schema::ThreadStateOf(*state) : fxt::ThreadState::kRunning;
}

}  // namespace facts
