// SPDX-License-Identifier: BSD-2-Clause
#include "tables/task_names.h"

#include "facts/scheduling.h"
#include "schema/names.h"

namespace tables {

void TaskNames::NoteProvider(std::string_view name) {
  (name == schema::kRecorderName ? ours_ : others_) = true;
}

TaskNames::Thread* TaskNames::ThreadOf(fxt::Koid koid) {
  const uint32_t index = thread_index_.Add(koid);
  if (index == facts::KoidIndex::kNone) return nullptr;
  if (index >= threads_.size()) threads_.push_back({.koid = koid});
  return &threads_[index];
}

TaskNames::Process* TaskNames::ProcessAt(fxt::Koid koid) {
  const uint32_t index = process_index_.Add(koid);
  if (index == facts::KoidIndex::kNone) return nullptr;
  if (index >= processes_.size()) processes_.push_back({.koid = koid});
  return &processes_[index];
}

void TaskNames::RestoreThread(fxt::Koid koid, const std::string* name,
                              const std::optional<fxt::Koid>& process) {
  Thread* thread = ThreadOf(koid);
  if (thread == nullptr) return;
  if (name != nullptr) thread->name = texts_.Add(*name);
  thread->process = process;
}

void TaskNames::RestoreProcess(fxt::Koid koid, const std::string* name) {
  Process* process = ProcessAt(koid);
  if (process != nullptr && name != nullptr) process->name = texts_.Add(*name);
}

void TaskNames::NoteObject(const fxt::KernelObject& object) {
  namespace argument = schema::argument;
  const auto find = [&](std::string_view name) {
    return facts::FindArgument(object.arguments, name);
  };
  switch (static_cast<fxt::KernelObjectType>(object.type)) {
    case fxt::KernelObjectType::kThread:
      if (Thread* thread = ThreadOf(object.koid)) {
        if (thread->is_kernels && !is_kernels_) return;
        thread->is_kernels = is_kernels_;
        thread->name = texts_.Add(object.name.text);
        thread->has_record = true;
        if (const auto process = facts::KoidOf(find(argument::kProcess))) {
          thread->process = process;
          ProcessAt(*process);
        }
      }
      break;
    case fxt::KernelObjectType::kProcess:
      if (Process* process = ProcessAt(object.koid)) {
        if (process->is_kernels && !is_kernels_) return;
        process->is_kernels = is_kernels_;
        process->has_record = true;
        process->name = texts_.Add(object.name.text);
        if (const auto parent = facts::KoidOf(find(argument::kParent))) {
          process->parent = static_cast<int64_t>(NumberOf(*parent).value_or(0));
        } else if (const auto number = facts::IntegerValue(find(argument::kParent))) {
          process->parent = number;
        }
        if (const auto user = facts::IntegerValue(find(argument::kUser))) process->user = user;
        if (const auto text = facts::TextOf(find(argument::kCgroup))) {
          process->cgroup = texts_.Add(*text);
        }
        if (const auto text = facts::TextOf(find(argument::kCommandLine))) {
          process->command_line = texts_.Add(*text);
        }
      }
      break;
  }
}

uint32_t TaskNames::NoteThread(fxt::Koid koid, const std::optional<fxt::Koid>& process,
                               uint64_t time, bool idle) {
  Thread* thread = ThreadOf(koid);
  if (thread == nullptr) return facts::KoidIndex::kNone;
  const auto place = static_cast<uint32_t>(thread - threads_.data());
  // Of the process that it was of up to now.
  FinishTime(*thread);
  thread->seen.Note(time);
  thread->idle = thread->idle || idle;
  const bool is_first = process && !thread->seen_process;
  if (is_first) thread->seen_process = process;
  if (idle) return place;
  if (is_first || thread->process_version != version_) {
    const auto of = ProcessOf(*thread);
    const Process* known = of ? ProcessAt(*of) : nullptr;
    thread->process_version = version_;
    thread->process_place = known == nullptr ? facts::KoidIndex::kNone
                                             : static_cast<uint32_t>(known - processes_.data());
  }
  if (thread->process_place != facts::KoidIndex::kNone) {
    processes_[thread->process_place].seen.Note(time);
  }
  return place;
}

const std::string* TaskNames::ProcessName(const std::optional<fxt::Koid>& koid) const {
  if (!koid) return nullptr;
  const uint32_t index = process_index_.Find(*koid);
  return index == facts::KoidIndex::kNone ? nullptr : processes_[index].name;
}

std::optional<fxt::Koid> TaskNames::ProcessOf(fxt::Koid thread,
                                              const std::optional<fxt::Koid>& process) const {
  const Thread* known = FindThread(thread);
  if (known == nullptr || (!known->process && process)) return process;
  return known->process ? known->process : known->indexed_process;
}

}  // namespace tables
