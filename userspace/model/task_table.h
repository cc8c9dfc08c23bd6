// SPDX-License-Identifier: BSD-2-Clause
// The threads and processes that are alive at this point of the event stream, with their names and
// koids. A koid is unique in the capture. Observers (TaskFollower) track what a file contains.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/format.h"
#include "fxt/id_map.h"
#include "model/command_line.h"
#include "model/slab.h"
#include "model/task_follower.h"
#include "model/tid_map.h"

namespace model {

struct Process {
  uint32_t tgid = 0;
  fxt::Koid koid = 0;
  // Empty if unknown.
  std::optional<uint32_t> ppid;
  std::optional<uint32_t> uid;
  uint32_t thread_count = 0;
  bool is_kernel = false;
  bool has_leader = false;  // the leader was seen; it may have been removed
  // ns of CLOCK_BOOTTIME; 0: not known. The leader's, else that of the earliest thread.
  uint64_t start_time = 0;
  std::string name;
  CommandLine cmdline;
  std::string cgroup;
};

struct Thread {
  fxt::Koid koid = 0;
  fxt::Koid process_koid = 0;
  uint32_t tid = 0;
  ProcessHandle process = kNoHandle;
  bool exiting = false;     // called exit; only its last switch is to come
  uint64_t start_time = 0;  // ns of CLOCK_BOOTTIME; 0: not known
  std::string name;
};

class TaskTable {
 public:
  TaskTable();

  TaskTable(const TaskTable&) = delete;
  TaskTable& operator=(const TaskTable&) = delete;

  // Notifies `follower` of changes until Unfollow().
  void Follow(TaskFollower& follower) { followers_.push_back(&follower); }
  void Unfollow(TaskFollower& follower) { std::erase(followers_, &follower); }

  // kNoHandle if the tid is unknown.
  ThreadHandle Find(uint32_t tid) const { return by_tid_.Get(tid); }
  Thread& thread(ThreadHandle handle) { return threads_[handle]; }
  const Thread& thread(ThreadHandle handle) const { return threads_[handle]; }
  Process& process(ProcessHandle handle) { return processes_[handle]; }
  const Process& process(ProcessHandle handle) const { return processes_[handle]; }
  // kNoHandle if no live process has this tgid.
  ProcessHandle FindProcess(uint32_t tgid) const { return process_by_tgid_.Get(tgid); }

  // Adds a thread; Find() returns it for its tid from now on. The thread gets a new koid if the tid
  // was used before in this capture. Another thread with the tid keeps its handle until Remove():
  // the kernel may reuse a tid while its previous owner is still switching out. A leader may be
  // added after other threads of its process. `start_time` (ns of CLOCK_BOOTTIME, 0: unknown)
  // distinguishes a new leader from the old process of the same tgid.
  ThreadHandle Add(uint32_t tid, uint32_t tgid, std::string_view name, uint64_t start_time = 0);

  // A thread without a tid: idle tasks, interrupt tracks. They are permanent, and the same koid
  // yields the same handle.
  ProcessHandle PseudoProcess(fxt::Koid koid, std::string_view name);
  ThreadHandle PseudoThread(ProcessHandle process, fxt::Koid koid, std::string_view name);

  // Removes a thread, and its process with the last thread. The handles may be reused.
  void Remove(ThreadHandle handle);

  // Gives all threads and processes the koids of a capture that begins now. A thread whose tid has
  // another owner by now is removed. The table has no observer yet.
  void Renumber();

  // A non-leader thread calls exec: it and the leader exchange tids and koids. If the leader was
  // removed, the thread takes over the leader's.
  void TakeOverLeader(ThreadHandle handle, uint32_t tgid);

  // Must be called after a change of a thread's name or of a process's properties.
  void NotifyThreadChanged(ThreadHandle thread) {
    for (TaskFollower* follower : followers_) follower->OnThreadChanged(thread);
  }
  void NotifyProcessChanged(ProcessHandle process) {
    for (TaskFollower* follower : followers_) follower->OnProcessChanged(process);
  }
  // See TaskFollower::OnProcessMoved.
  void NotifyProcessMoved(ThreadHandle leader) {
    for (TaskFollower* follower : followers_) follower->OnProcessMoved(leader);
  }
  // True if a follower knows that the thread runs.
  bool IsOnCpu(ThreadHandle thread) const {
    return std::any_of(followers_.begin(), followers_.end(),
                       [thread](const TaskFollower* each) { return each->IsOnCpu(thread); });
  }

  // True if the handle has an owner, which may be another thread by now.
  bool IsAlive(ThreadHandle handle) const { return threads_[handle].process != kNoHandle; }

  // The number of handles ever in use at once.
  uint32_t thread_handles() const { return threads_.size(); }
  uint32_t process_handles() const { return processes_.size(); }
  size_t thread_count() const { return live_threads_; }
  size_t process_count() const { return live_processes_; }
  // Calls `visit(handle)` for each live thread.
  template <typename Visit>
  void ForEachThread(Visit visit) const {
    for (ThreadHandle handle = 0; handle < threads_.size(); ++handle) {
      if (IsAlive(handle)) visit(handle);
    }
  }

 private:
  fxt::Koid NextKoid(uint32_t tid, TidMap<uint16_t, 0>& uses);
  static bool MayLead(const Process& process, uint64_t start_time);
  ProcessHandle MakeProcess(uint32_t tgid);
  ThreadHandle NewThreadHandle();
  ProcessHandle NewProcessHandle();

  TidMap<ThreadHandle, kNoHandle> by_tid_;
  TidMap<uint32_t, kNoHandle> process_by_tgid_;
  // Uses of each tid: 0 none; n: the last generation is n-1.
  TidMap<uint16_t, 0> thread_uses_;
  TidMap<uint16_t, 0> process_uses_;
  Slab<Thread> threads_;
  Slab<Process> processes_;
  std::vector<ThreadHandle> free_threads_;
  std::vector<ProcessHandle> free_processes_;
  // By koid.
  fxt::IdMap<ThreadHandle> pseudo_threads_;
  fxt::IdMap<ProcessHandle> pseudo_processes_;
  std::vector<TaskFollower*> followers_;
  size_t live_threads_ = 0;
  size_t live_processes_ = 0;
};

}  // namespace model
