// SPDX-License-Identifier: BSD-2-Clause
// The groups that a capture is divided into, by names of processes and threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>

#include "measure/capture.h"
#include "measure/collect/name_table.h"

namespace measure {

// Groups by the numbers of their names, numbered in order of appearance. Memory is bounded, and
// who comes first must not take all of it: programs that make up names without end (a request in
// a thread's name, a script in a folder with a random name) would push out those that matter. So
// threads of one process name have no more than kMaxOfProcess names, those beyond are together
// under the thread name kOthers; and where there is a command, what is outside of it leaves room
// for what is of it. What finds no room is in the group kOthers/kOthers of its side.
class GroupTable {
 public:
  static constexpr size_t kMaxGroups = 2000;
  static constexpr size_t kMaxOfProcess = 100;  // without the one of kOthers
  static constexpr size_t kKeptForCommand = 500;

  GroupTable();

  // From here on those outside of a command leave room for it.
  void KeepRoomForCommand() { keeps_room_ = true; }

  // Numbers of names. 0 is the empty one.
  uint32_t AddName(std::string name, bool of_command);
  // Its number, if it has one.
  bool KnowsName(const std::string& name) const { return names_.Has(name); }
  uint32_t others() const { return others_; }

  // The number of a group: that of these names, or of the others.
  uint32_t Find(uint32_t process, uint32_t thread, bool of_command);

  std::deque<Group>& groups() { return groups_; }

 private:
  static uint64_t KeyOf(uint32_t process, uint32_t thread, bool of_command);
  bool IsFull(bool of_command) const;

  NameTable names_;
  uint32_t others_;
  bool keeps_room_ = false;
  std::unordered_map<uint64_t, uint32_t> numbers_;
  std::unordered_map<uint64_t, size_t> of_process_;  // how many groups, without that of kOthers
  std::deque<Group> groups_;
};

}  // namespace measure
