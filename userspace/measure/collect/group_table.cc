// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/group_table.h"

#include <utility>

#include "measure/group_name.h"
#include "schema/names.h"

namespace measure {
namespace {

constexpr size_t kMaxNames = 20'000;
constexpr size_t kNamesKeptForCommand = 5'000;

}  // namespace

GroupTable::GroupTable() : names_(kMaxNames), exact_{"", std::string(kOthers)} {
  names_.Add("");
  others_ = names_.Add(std::string(kOthers));
}

uint32_t GroupTable::AddName(std::string_view name, bool of_command) {
  const std::string folded = FoldDigits(name);
  if (keeps_room_ && !of_command && names_.size() + kNamesKeptForCommand >= kMaxNames &&
      !names_.Has(folded)) {
    return others_;
  }
  const uint32_t number = names_.Add(folded);
  if (number == others_) return number;
  if (number == exact_.size()) {
    exact_.emplace_back(name.size() <= kMaxFoldedBytes ? name : "");
  } else if (exact_[number] != name) {
    exact_[number].clear();
  }
  return number;
}

bool GroupTable::KnowsName(std::string_view name) const { return names_.Has(FoldDigits(name)); }

void GroupTable::SetExactNames() {
  for (Group& group : groups_) {
    group.exact_process = exact_[names_.Add(group.name.process)];
    group.exact_thread = exact_[names_.Add(group.name.thread)];
  }
}

uint64_t GroupTable::KeyOf(uint32_t process, uint32_t thread, bool of_command) {
  return (uint64_t{process} << 32) | (uint64_t{thread} << 1) | (of_command ? 1 : 0);
}

// Both groups of others always have room.
bool GroupTable::IsFull(bool of_command) const {
  const size_t kept = keeps_room_ && !of_command ? kKeptForCommand : 0;
  return groups_.size() + 2 + kept >= kMaxGroups;
}

uint32_t GroupTable::Find(uint32_t process, uint32_t thread, bool of_command) {
  const uint64_t key = KeyOf(process, thread, of_command);
  const auto found = numbers_.find(key);
  if (found != numbers_.end()) return found->second;
  if (process != others_ || thread != others_) {
    if (IsFull(of_command)) return Find(others_, others_, of_command);
    if (thread != others_) {
      size_t& count = of_process_[KeyOf(process, 0, of_command)];
      if (count == kMaxOfProcess) return Find(process, others_, of_command);
      ++count;
    }
  }
  const auto number = static_cast<uint32_t>(groups_.size());
  numbers_.emplace(key, number);
  Group& made = groups_.emplace_back();
  made.name = {.process = names_[process], .thread = names_[thread], .of_command = of_command};
  made.of_recorder = !of_command && names_[process] == schema::kRecorderName;
  return number;
}

}  // namespace measure
