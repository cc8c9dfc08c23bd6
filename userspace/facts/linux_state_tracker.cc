// SPDX-License-Identifier: BSD-2-Clause
#include "facts/linux_state_tracker.h"
#include "schema/names.h"

namespace facts {
namespace {

constexpr size_t kMaxTold = size_t{1} << 22;

struct Known {
  const char* letters;
  fxt::ThreadState state;
};
constexpr Known kKnown[] = {
    {"R", fxt::ThreadState::kNew},       {"R+", fxt::ThreadState::kNew},
    {"S", fxt::ThreadState::kBlocked},   {"D", fxt::ThreadState::kBlocked},
    {"I", fxt::ThreadState::kBlocked},   {"P", fxt::ThreadState::kBlocked},
    {"W", fxt::ThreadState::kBlocked},   {"T", fxt::ThreadState::kSuspended},
    {"t", fxt::ThreadState::kSuspended}, {"Z", fxt::ThreadState::kDying},
    {"X", fxt::ThreadState::kDead},
};

const Known* Find(std::string_view letters) {
  for (const Known& known : kKnown) {
    if (letters == known.letters) return &known;
  }
  return nullptr;
}

std::string_view Usual(fxt::ThreadState state) {
  switch (state) {
    case fxt::ThreadState::kNew:
      return "R+";
    case fxt::ThreadState::kSuspended:
      return "T";
    case fxt::ThreadState::kBlocked:
      return "S";
    case fxt::ThreadState::kDying:
      return "Z";
    case fxt::ThreadState::kDead:
      return "X";
    case fxt::ThreadState::kRunning:
      break;
  }
  return "?";
}

}  // namespace

bool LinuxStateTracker::Note(const fxt::Event& event) {
  if (event.type != fxt::EventType::kInstant || event.name.text != schema::event::kLinuxState ||
      event.category.text != schema::category::kSched) {
    return false;
  }
  for (const fxt::Argument& argument : event.arguments) {
    const auto* value = std::get_if<fxt::StringRef>(&argument.value);
    if (value == nullptr || argument.name.text != schema::argument::kState) continue;
    const Known* known = Find(value->text);
    if (known == nullptr) return false;
    // Of threads beyond these the usual states are assumed.
    if (told_.size() >= kMaxTold && !told_.contains(event.thread.thread)) return true;
    told_[event.thread.thread][static_cast<size_t>(known->state)] = known->letters;
    return true;
  }
  return false;
}

std::string_view LinuxStateTracker::Letters(fxt::Koid thread, fxt::ThreadState state) const {
  const auto index = static_cast<size_t>(state);
  const auto told = told_.find(thread);
  if (told != told_.end() && index < told->second.size() && told->second[index] != nullptr) {
    return told->second[index];
  }
  return Usual(state);
}

fxt::ThreadState LinuxStateTracker::StateOf(std::string_view letters) {
  const Known* known = Find(letters);
  return known == nullptr ? fxt::ThreadState::kRunning : known->state;
}

}  // namespace facts
