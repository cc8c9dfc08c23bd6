// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/task_table.h"

#include "facts/scheduling.h"
#include "measure/group_name.h"
#include "schema/names.h"

namespace measure {
namespace {

constexpr size_t kMaxNames = 20'000;

}  // namespace

TaskTable::TaskTable() : names_(kMaxNames), processes_(1) { names_.Add(""); }

uint32_t TaskTable::ProcessNumber(fxt::Koid koid) {
  const uint32_t index = process_index_.Add(koid);
  if (index == facts::KoidIndex::kNone) return 0;
  if (index + 1 >= processes_.size()) {
    processes_.push_back({.koid = koid, .known = true, .of_command = tree_.Contains(koid)});
  }
  return index + 1;
}

uint32_t TaskTable::TaskNumber(fxt::Koid koid) {
  const uint32_t index = task_index_.Add(koid);
  if (index != kNoTask && index >= tasks_.size()) tasks_.emplace_back();
  return index;
}

void TaskTable::MoveTo(Task& task, uint32_t process) {
  if (task.process == process) return;
  // The sum of both versions may not be one that it was before.
  ++epoch_;
  task.version += processes_[task.process].version + 1;
  task.process = process;
}

void TaskTable::LookAtTree(Process& process) {
  const bool of_command = tree_.Contains(process.koid);
  if (of_command == process.of_command) return;
  process.of_command = of_command;
  ++process.version;
  ++epoch_;
}

void TaskTable::NoteObject(const fxt::KernelObject& object) {
  const auto type = static_cast<fxt::KernelObjectType>(object.type);
  if (type == fxt::KernelObjectType::kProcess) {
    const auto parent =
        facts::IntegerValue(facts::FindArgument(object.arguments, schema::argument::kParent));
    const uint32_t number = ProcessNumber(object.koid);
    if (number == 0) return;
    Process& process = processes_[number];
    if (parent && *parent > 0) tree_.NoteParent(object.koid, static_cast<fxt::Koid>(*parent));
    LookAtTree(process);
    const uint32_t name = names_.Add(FoldDigits(object.name.text));
    if (name == process.name) return;
    process.name = name;
    ++process.version;
    ++epoch_;
  } else if (type == fxt::KernelObjectType::kThread) {
    const uint32_t number = TaskNumber(object.koid);
    if (number == kNoTask) return;
    Task& task = tasks_[number];
    if (const auto of =
            facts::KoidOf(facts::FindArgument(object.arguments, schema::argument::kProcess))) {
      MoveTo(task, ProcessNumber(*of));
    }
    const uint32_t name = names_.Add(FoldDigits(object.name.text));
    if (name == task.name) return;
    task.name = name;
    ++task.version;
    ++epoch_;
  }
}

bool TaskTable::NoteFork(fxt::Koid process, fxt::Koid child) {
  tree_.NoteFork(process, child);
  const uint32_t own = process_index_.Find(child);
  if (own == facts::KoidIndex::kNone) return false;
  LookAtTree(processes_[own + 1]);
  return true;
}

void TaskTable::SetCommand(fxt::Koid process) {
  tree_.SetCommand(process);
  for (Process& each : processes_) {
    if (each.known) LookAtTree(each);
  }
}

uint32_t TaskTable::Find(fxt::Koid thread, std::optional<fxt::Koid> process) {
  const uint32_t number = TaskNumber(thread);
  if (number == kNoTask || !process) return number;
  if (tasks_[number].process == 0) MoveTo(tasks_[number], ProcessNumber(*process));
  return number;
}

uint32_t TaskTable::GroupOf(uint32_t number) {
  static constexpr Task kNone;
  const Task& task = number == kNoTask ? kNone : tasks_[number];
  const Process& process = processes_[task.process];
  uint64_t key =
      (uint64_t{process.name} << 32) | (uint64_t{task.name} << 1) | (process.of_command ? 1 : 0);
  // No name has this number.
  if (number == kNoTask) key = UINT64_MAX;
  const auto found = numbers_.find(key);
  if (found != numbers_.end()) return found->second;
  const size_t most = process.of_command ? kMaxGroups : kMaxGroups - kGroupsOfCommand;
  if (key != UINT64_MAX && groups_.size() + 1 >= most) return GroupOf(kNoTask);
  const auto group = static_cast<uint32_t>(groups_.size());
  numbers_.emplace(key, group);
  Group& made = groups_.emplace_back();
  if (number == kNoTask) {
    made.name = {.process = std::string(kOthers), .thread = std::string(kOthers)};
  } else {
    made.name = {.process = names_[process.name],
                 .thread = names_[task.name],
                 .of_command = process.of_command};
    made.of_recorder = !process.of_command && names_[process.name] == schema::kRecorderName;
  }
  return group;
}

std::optional<fxt::Koid> TaskTable::ProcessOf(uint32_t task) const {
  if (task == kNoTask || tasks_[task].process == 0) return std::nullopt;
  return processes_[tasks_[task].process].koid;
}

}  // namespace measure
