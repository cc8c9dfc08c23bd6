// SPDX-License-Identifier: BSD-2-Clause
// Which group a thread belongs to by the names that it and its process have now.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "facts/koid_index.h"
#include "fxt/record.h"
#include "measure/capture.h"
#include "measure/collect/command_tree.h"
#include "measure/collect/group_table.h"

namespace measure {

// Groups are numbered in order of appearance. Memory is bounded: a few bytes for each of at most
// 2^20 threads and processes, and what a GroupTable takes.
class TaskTable {
 public:
  static constexpr size_t kMaxTasks = size_t{1} << 20;
  // A process brings no more new names than these, its own and those of its threads, however often
  // they are renamed; what comes then is kOthers.
  static constexpr uint32_t kMaxNamesOfProcess = 200;
  static constexpr uint32_t kNoTask = facts::KoidIndex::kNone;

  TaskTable() : processes_(1) {}

  // Names, parents, and which process a thread is of.
  void NoteObject(const fxt::KernelObject& object);
  // A thread of `process` makes `child`. Whether that is a process: its own, as far as the objects
  // before this say.
  bool NoteFork(fxt::Koid process, fxt::Koid child);
  void SetCommand(fxt::Koid process);
  const CommandTree& tree() const { return tree_; }

  // The number of a thread, for the calls below; `process` where the thread's own object does not
  // say. kNoTask beyond the limit.
  uint32_t Find(fxt::Koid thread, std::optional<fxt::Koid> process);
  // Changes whenever the answer of GroupOf may have changed.
  uint32_t VersionOf(uint32_t task) const {
    return task == kNoTask ? 0
                           : 1 + tasks_[task].version + processes_[tasks_[task].process].version;
  }
  // Changes whenever the version of any may have changed.
  uint64_t epoch() const { return epoch_; }
  // The current number of the task's group. kNoTask: that of the others.
  uint32_t GroupOf(uint32_t task);
  bool HasProcess(uint32_t task) const { return task == kNoTask || tasks_[task].process != 0; }
  std::optional<fxt::Koid> ProcessOf(uint32_t task) const;

  std::deque<Group>& groups() { return groups_.groups(); }
  void SetExactNames() { groups_.SetExactNames(); }

 private:
  struct Process {
    fxt::Koid koid = 0;
    uint32_t name = 0;
    uint32_t names_brought = 0;
    uint32_t version = 0;
    bool known = false;  // it is not the entry for no thread
    bool of_command = false;
  };
  struct Task {
    uint32_t name = 0;
    uint32_t process = 0;
    uint32_t version = 0;
  };

  uint32_t ProcessNumber(fxt::Koid koid);
  uint32_t TaskNumber(fxt::Koid koid);
  void MoveTo(Task& task, uint32_t process);
  void LookAtTree(Process& process);
  // The number of a name that `process` or a thread of it has.
  uint32_t NameNumber(std::string_view name, Process& process);

  uint64_t epoch_ = 1;
  CommandTree tree_;
  facts::KoidIndex process_index_{kMaxTasks};
  facts::KoidIndex task_index_{kMaxTasks};
  std::vector<Process> processes_;  // by index + 1; the first one means none
  std::vector<Task> tasks_;
  GroupTable groups_;
};

}  // namespace measure
