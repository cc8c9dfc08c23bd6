// SPDX-License-Identifier: BSD-2-Clause
// The groups that a capture is divided into, by names of processes and threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/id_map.h"
#include "measure/capture.h"
#include "measure/collect/name_table.h"

namespace measure {

// Groups by the numbers of their names, numbered in order of appearance. Memory is bounded, and the
// first groups must not take all of it: programs that make up names without end (a request in a
// thread's name, a script in a folder with a random name) would push out those that matter. So
// threads of one process name have no more than kMaxOfProcess names, those beyond are together
// under the thread name kOthers; and where there is a command, what is outside of it leaves room
// for what is of it. Threads beyond the limit are in the group kOthers/kOthers of their side.
class GroupTable {
 public:
  static constexpr size_t kMaxGroups = 2000;
  static constexpr size_t kMaxOfProcess = 100;  // without the one of kOthers
  static constexpr size_t kKeptForCommand = 500;

  GroupTable();

  // From here on those outside of a command leave room for it.
  void KeepRoomForCommand() { keeps_room_ = true; }

  // The number of a name, without its digits. 0 is the empty one.
  uint32_t AddName(std::string_view name, bool of_command);
  // It, or one that differs in digits alone, has a number.
  bool KnowsName(std::string_view name) const;
  uint32_t others() const { return others_; }

  // The number of a group: that of these names, or of the others.
  uint32_t Find(uint32_t process, uint32_t thread, bool of_command);

  std::deque<Group>& groups() { return groups_; }

  // Gives the names of groups their digits back, where no others fold to the same.
  void SetExactNames();

 private:
  static uint64_t KeyOf(uint32_t process, uint32_t thread, bool of_command);
  bool IsFull(bool of_command) const;

  NameTable names_;  // folded
  // By number in names_: the only name that folds to it; "" where there are several.
  std::vector<std::string> exact_;
  uint32_t others_;
  bool keeps_room_ = false;
  fxt::IdMap<uint32_t> numbers_;
  fxt::IdMap<size_t> of_process_;  // how many groups, without that of kOthers
  std::deque<Group> groups_;
};

}  // namespace measure
