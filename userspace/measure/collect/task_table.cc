// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/task_table.h"

#include <utility>

#include "facts/scheduling.h"
#include "measure/group_name.h"
#include "schema/names.h"

namespace measure {

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

uint32_t TaskTable::NameNumber(std::string_view name, Process& process) {
  if (process.known && !groups_.KnowsName(name)) {
    if (process.names_brought == kMaxNamesOfProcess) return groups_.others();
    ++process.names_brought;
  }
  return groups_.AddName(name, process.of_command);
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
    const uint32_t name = NameNumber(object.name.text, process);
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
    const uint32_t name = NameNumber(object.name.text, processes_[task.process]);
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
  groups_.KeepRoomForCommand();
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
  if (number == kNoTask) return groups_.Find(groups_.others(), groups_.others(), false);
  const Task& task = tasks_[number];
  const Process& process = processes_[task.process];
  return groups_.Find(process.name, task.name, process.of_command);
}

std::optional<fxt::Koid> TaskTable::ProcessOf(uint32_t task) const {
  if (task == kNoTask || tasks_[task].process == 0) return std::nullopt;
  return processes_[tasks_[task].process].koid;
}

}  // namespace measure
