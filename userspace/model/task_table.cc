// SPDX-License-Identifier: BSD-2-Clause
#include "model/task_table.h"

#include <utility>

namespace model {

TaskTable::TaskTable() = default;

fxt::Koid TaskTable::NextKoid(uint32_t tid, TidMap<uint16_t, 0>& uses) {
  uint16_t used = uses.Get(tid);
  uint16_t next = used > schema::kMaxGeneration ? 2 : static_cast<uint16_t>(used + 1);
  uses.Set(tid, next);
  return schema::MakeKoid(tid, next - 1u);
}

ThreadHandle TaskTable::NewThreadHandle() {
  ++live_threads_;
  if (!free_threads_.empty()) {
    ThreadHandle handle = free_threads_.back();
    free_threads_.pop_back();
    threads_[handle] = Thread{};
    threads_[handle].handle = handle;
    return handle;
  }
  const ThreadHandle handle = threads_.Add();
  threads_[handle].handle = handle;
  return handle;
}

ProcessHandle TaskTable::NewProcessHandle() {
  ++live_processes_;
  if (!free_processes_.empty()) {
    ProcessHandle handle = free_processes_.back();
    free_processes_.pop_back();
    processes_[handle] = Process{};
    return handle;
  }
  return processes_.Add();
}

ProcessHandle TaskTable::MakeProcess(uint32_t tgid) {
  ProcessHandle handle = NewProcessHandle();
  Process& process = processes_[handle];
  process.tgid = tgid;
  process.koid = NextKoid(tgid, process_uses_);
  process_by_tgid_.Set(tgid, handle);
  return handle;
}

ThreadHandle TaskTable::Add(uint32_t tid, uint32_t tgid, std::string_view name) {
  // A new leader means a new process, even where the end of the old one's threads was never seen.
  if (tid == tgid) process_by_tgid_.Set(tgid, kNoHandle);
  ProcessHandle process = FindProcess(tgid);
  if (process == kNoHandle) process = MakeProcess(tgid);
  ThreadHandle handle = NewThreadHandle();
  Thread& thread = threads_[handle];
  thread.tid = tid;
  thread.process = process;
  thread.koid = NextKoid(tid, thread_uses_);
  thread.process_koid = processes_[process].koid;
  thread.name = name;
  ++processes_[process].thread_count;
  by_tid_.Set(tid, &thread);
  return handle;
}

ProcessHandle TaskTable::AddPseudoProcess(fxt::Koid koid, std::string_view name) {
  ProcessHandle handle = NewProcessHandle();
  processes_[handle].koid = koid;
  processes_[handle].name = name;
  processes_[handle].is_kernel = true;
  return handle;
}

ThreadHandle TaskTable::AddPseudoThread(ProcessHandle process, fxt::Koid koid,
                                        std::string_view name) {
  ThreadHandle handle = NewThreadHandle();
  Thread& thread = threads_[handle];
  thread.process = process;
  thread.koid = koid;
  thread.process_koid = processes_[process].koid;
  thread.name = name;
  ++processes_[process].thread_count;
  return handle;
}

void TaskTable::Remove(ThreadHandle handle) {
  Thread& thread = threads_[handle];
  if (by_tid_.Get(thread.tid) == &thread) by_tid_.Set(thread.tid, nullptr);
  ProcessHandle process = std::exchange(thread.process, kNoHandle);
  if (process == kNoHandle) return;
  thread.name.clear();
  free_threads_.push_back(handle);
  --live_threads_;
  Process& owner = processes_[process];
  if (--owner.thread_count > 0) return;
  if (process_by_tgid_.Get(owner.tgid) == process) process_by_tgid_.Set(owner.tgid, kNoHandle);
  free_processes_.push_back(process);
  --live_processes_;
}

void TaskTable::TakeOverLeader(ThreadHandle handle, uint32_t tgid) {
  ThreadHandle leader = Find(tgid);
  if (leader == handle) return;
  Thread& thread = threads_[handle];
  const uint32_t old_tid = thread.tid;
  if (leader != kNoHandle) {
    threads_[leader].tid = old_tid;
    threads_[leader].announced = false;
    std::swap(thread.koid, threads_[leader].koid);
    // A reader keeps what it was told by koid.
    std::swap(thread.told_states, threads_[leader].told_states);
  } else if (uint16_t uses = thread_uses_.Get(tgid); uses > 0) {
    thread.koid = schema::MakeKoid(tgid, uses - 1u);
    thread.told_states.Forget();
  }
  by_tid_.Set(old_tid, leader == kNoHandle ? nullptr : &threads_[leader]);
  thread.tid = tgid;
  thread.announced = false;
  by_tid_.Set(tgid, &thread);
}

}  // namespace model
