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
  ThreadHandle handle;
  if (free_threads_.empty()) {
    handle = threads_.Add();
  } else {
    handle = free_threads_.back();
    free_threads_.pop_back();
    threads_[handle] = Thread{};
  }
  return handle;
}

ProcessHandle TaskTable::NewProcessHandle() {
  ++live_processes_;
  ProcessHandle handle;
  if (free_processes_.empty()) {
    handle = processes_.Add();
  } else {
    handle = free_processes_.back();
    free_processes_.pop_back();
    processes_[handle] = Process{};
  }
  for (TaskFollower* follower : followers_) follower->OnNewProcess(handle);
  return handle;
}

ProcessHandle TaskTable::MakeProcess(uint32_t tgid) {
  ProcessHandle handle = NewProcessHandle();
  Process& process = processes_[handle];
  process.tgid = tgid;
  process.koid = NextKoid(tgid, process_uses_);
  process_by_tgid_.Set(tgid, handle);
  return handle;
}

// True if a leader with this start time may belong to the process, which has no live leader.
bool TaskTable::MayLead(const Process& process, uint64_t start_time) {
  if (process.has_leader) return start_time != 0 && start_time == process.start_time;
  return start_time == 0 || process.start_time == 0 || start_time <= process.start_time;
}

ThreadHandle TaskTable::Add(uint32_t tid, uint32_t tgid, std::string_view name,
                            uint64_t start_time) {
  ProcessHandle process = FindProcess(tgid);
  const bool is_leader = tid == tgid;
  // Threads of a process may be listed in any order, because tids wrap. But a second leader means a
  // new process, even if the end of the old one was not seen.
  if (process != kNoHandle && is_leader && !MayLead(processes_[process], start_time)) {
    process = kNoHandle;
  }
  if (process == kNoHandle) process = MakeProcess(tgid);
  Process& owner = processes_[process];
  if (is_leader) {
    owner.has_leader = true;
    owner.start_time = start_time;
    // Keeps a leader's generation at or above its process's.
    const uint32_t processes = process_uses_.Get(tgid);
    const uint32_t threads = thread_uses_.Get(tid);
    if (threads < processes && processes - threads < schema::kMaxGeneration / 2) {
      thread_uses_.Set(tid, static_cast<uint16_t>(processes - 1));
    }
  } else if (!owner.has_leader && start_time != 0 &&
             (owner.start_time == 0 || start_time < owner.start_time)) {
    owner.start_time = start_time;
  }
  ThreadHandle handle = NewThreadHandle();
  Thread& thread = threads_[handle];
  thread.tid = tid;
  thread.process = process;
  thread.koid = NextKoid(tid, thread_uses_);
  thread.process_koid = owner.koid;
  thread.start_time = start_time;
  thread.name = name;
  ++owner.thread_count;
  by_tid_.Set(tid, handle);
  for (TaskFollower* follower : followers_) follower->OnNewThread(handle);
  return handle;
}

ProcessHandle TaskTable::PseudoProcess(fxt::Koid koid, std::string_view name) {
  const auto known = pseudo_processes_.find(koid);
  if (known != pseudo_processes_.end()) return known->second;
  ProcessHandle handle = NewProcessHandle();
  pseudo_processes_.emplace(koid, handle);
  processes_[handle].koid = koid;
  processes_[handle].name = name;
  processes_[handle].is_kernel = true;
  return handle;
}

ThreadHandle TaskTable::PseudoThread(ProcessHandle process, fxt::Koid koid, std::string_view name) {
  const auto known = pseudo_threads_.find(koid);
  if (known != pseudo_threads_.end()) return known->second;
  ThreadHandle handle = NewThreadHandle();
  pseudo_threads_.emplace(koid, handle);
  Thread& thread = threads_[handle];
  thread.process = process;
  thread.koid = koid;
  thread.process_koid = processes_[process].koid;
  thread.name = name;
  ++processes_[process].thread_count;
  for (TaskFollower* follower : followers_) follower->OnNewThread(handle);
  return handle;
}

void TaskTable::Remove(ThreadHandle handle) {
  Thread& thread = threads_[handle];
  if (by_tid_.Get(thread.tid) == handle) by_tid_.Set(thread.tid, kNoHandle);
  ProcessHandle process = std::exchange(thread.process, kNoHandle);
  if (process == kNoHandle) return;
  for (TaskFollower* follower : followers_) follower->OnThreadGone(handle);
  thread.name.clear();
  free_threads_.push_back(handle);
  --live_threads_;
  Process& owner = processes_[process];
  if (--owner.thread_count > 0) return;
  if (process_by_tgid_.Get(owner.tgid) == process) process_by_tgid_.Set(owner.tgid, kNoHandle);
  free_processes_.push_back(process);
  --live_processes_;
}

void TaskTable::Renumber() {
  ForEachThread([this](ThreadHandle handle) {
    if (Find(threads_[handle].tid) != handle) Remove(handle);
  });
  thread_uses_.Clear();
  process_uses_.Clear();
  ForEachThread([this](ThreadHandle handle) {
    Thread& thread = threads_[handle];
    Process& owner = processes_[thread.process];
    if (process_uses_.Get(owner.tgid) == 0) owner.koid = NextKoid(owner.tgid, process_uses_);
    thread.process_koid = owner.koid;
    thread.koid = NextKoid(thread.tid, thread_uses_);
  });
}

void TaskTable::TakeOverLeader(ThreadHandle handle, uint32_t tgid) {
  ThreadHandle leader = Find(tgid);
  if (leader == handle) return;
  Thread& thread = threads_[handle];
  const uint32_t old_tid = thread.tid;
  if (leader != kNoHandle) {
    threads_[leader].tid = old_tid;
    std::swap(thread.koid, threads_[leader].koid);
  } else if (uint16_t uses = thread_uses_.Get(tgid); uses > 0) {
    thread.koid = schema::MakeKoid(tgid, uses - 1u);
  }
  Process& process = processes_[thread.process];
  // exec keeps the leader's start time (fs/exec.c: de_thread).
  if (process.has_leader) thread.start_time = process.start_time;
  process.has_leader = true;
  by_tid_.Set(old_tid, leader);
  thread.tid = tgid;
  by_tid_.Set(tgid, handle);
  for (TaskFollower* follower : followers_) follower->OnLeaderReplaced(handle, leader);
}

}  // namespace model
