// SPDX-License-Identifier: BSD-2-Clause
#include "facts/task_names.h"

#include <algorithm>

#include "facts/scheduling.h"
#include "schema/names.h"

namespace facts {

const std::string& TaskNames::OrEmpty(const std::string* name) {
  static const std::string kNone;
  return name == nullptr ? kNone : *name;
}

void TaskNames::NoteProvider(std::string_view name) {
  (name == schema::kRecorderName ? ours_ : others_) = true;
}

TaskNames::Thread* TaskNames::ThreadOf(fxt::Koid koid) {
  const uint32_t index = thread_index_.Add(koid);
  if (index == KoidIndex::kNone) return nullptr;
  if (index >= threads_.size()) threads_.push_back({.koid = koid});
  return &threads_[index];
}

TaskNames::Process* TaskNames::ProcessAt(fxt::Koid koid) {
  const uint32_t index = process_index_.Add(koid);
  if (index == KoidIndex::kNone) return nullptr;
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

bool TaskNames::Note(const fxt::Record& record, bool is_kernels) {
  const auto* object = std::get_if<fxt::KernelObject>(&record);
  if (object == nullptr) return false;
  ++version_;
  switch (static_cast<fxt::KernelObjectType>(object->type)) {
    case fxt::KernelObjectType::kThread:
      AddThread(*object, is_kernels);
      return true;
    case fxt::KernelObjectType::kProcess:
      AddProcess(*object, is_kernels);
      return true;
  }
  return false;
}

void TaskNames::AddThread(const fxt::KernelObject& object, bool is_kernels) {
  Thread* thread = ThreadOf(object.koid);
  if (thread == nullptr || (thread->is_kernels && !is_kernels)) return;
  thread->is_kernels = is_kernels;
  thread->name = texts_.Add(object.name.text);
  thread->has_record = true;
  if (const auto process = KoidOf(FindArgument(object.arguments, schema::argument::kProcess))) {
    thread->process = process;
    ProcessAt(*process);
  }
}

void TaskNames::AddProcess(const fxt::KernelObject& object, bool is_kernels) {
  namespace argument = schema::argument;
  const auto find = [&](std::string_view name) { return FindArgument(object.arguments, name); };
  Process* process = ProcessAt(object.koid);
  if (process == nullptr || (process->is_kernels && !is_kernels)) return;
  process->is_kernels = is_kernels;
  process->has_record = true;
  process->name = texts_.Add(object.name.text);
  if (own_ != nullptr) return;
  if (const auto parent = KoidOf(find(argument::kParent))) {
    process->parent = static_cast<int64_t>(NumberOf(*parent).value_or(0));
  } else if (const auto number = IntegerValue(find(argument::kParent))) {
    process->parent = number;
  }
  if (const auto user = IntegerValue(find(argument::kUser))) process->user = user;
  if (const auto text = TextOf(find(argument::kCgroup))) process->cgroup = texts_.Add(*text);
  if (const auto text = TextOf(find(argument::kCommandLine)))
    process->command_line = texts_.Add(*text);
}

uint32_t TaskNames::NoteThread(fxt::Koid koid, const std::optional<fxt::Koid>& process,
                               uint64_t time, bool idle) {
  Thread* thread = ThreadOf(koid);
  if (thread == nullptr) return KoidIndex::kNone;
  const auto place = static_cast<uint32_t>(thread - threads_.data());
  // The time counts for its process up to now.
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
    thread->process_place =
        known == nullptr ? KoidIndex::kNone : static_cast<uint32_t>(known - processes_.data());
  }
  if (thread->process_place != KoidIndex::kNone) {
    processes_[thread->process_place].seen.Note(time);
  }
  return place;
}

size_t TaskNames::CountProcesses() const {
  return static_cast<size_t>(std::ranges::count_if(processes_, &Process::has_record));
}

const std::string* TaskNames::ProcessName(const std::optional<fxt::Koid>& koid) const {
  if (!koid) return nullptr;
  const uint32_t index = process_index_.Find(*koid);
  return index == KoidIndex::kNone ? nullptr : processes_[index].name;
}

std::optional<fxt::Koid> TaskNames::ProcessOf(fxt::Koid thread,
                                              const std::optional<fxt::Koid>& process) const {
  const Thread* known = FindThread(thread);
  if (known == nullptr || (!known->process && process)) return process;
  return known->process ? known->process : known->indexed_process;
}

}  // namespace facts
