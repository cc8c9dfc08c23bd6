// SPDX-License-Identifier: BSD-2-Clause
// Who is who: the threads and processes that are alive at this point of the event stream, their
// names, and the koid each of them has for the whole capture. What a file or anything else was told
// of them is not in here: who keeps something of the kind follows the table (TaskFollower).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fxt/format.h"
#include "model/command_line.h"
#include "model/slab.h"
#include "model/task_follower.h"
#include "model/tid_map.h"

namespace model {

struct Process {
  uint32_t tgid = 0;
  fxt::Koid koid = 0;
  // Nothing where nobody told.
  std::optional<uint32_t> ppid;
  std::optional<uint32_t> uid;
  uint32_t thread_count = 0;
  bool is_kernel = false;
  bool has_leader = false;  // the leader was among its threads, it may be gone
  // ns of CLOCK_BOOTTIME, 0: not known. Of the leader, else the earliest of its threads.
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

  // Tells `follower` what changes from now on, until Unfollow().
  void Follow(TaskFollower& follower) { followers_.push_back(&follower); }
  void Unfollow(TaskFollower& follower) { std::erase(followers_, &follower); }

  // kNoHandle when the tid is not known.
  ThreadHandle Find(uint32_t tid) const { return by_tid_.Get(tid); }
  Thread& thread(ThreadHandle handle) { return threads_[handle]; }
  const Thread& thread(ThreadHandle handle) const { return threads_[handle]; }
  Process& process(ProcessHandle handle) { return processes_[handle]; }
  const Process& process(ProcessHandle handle) const { return processes_[handle]; }
  // kNoHandle when no process with this tgid is alive.
  ProcessHandle FindProcess(uint32_t tgid) const { return process_by_tgid_.Get(tgid); }

  // A thread came to be; Find knows it by its tid from now on. It gets a koid of its own if the tid
  // was used before in this capture. Whoever had the tid keeps its handle until Remove: the kernel
  // may give a tid out again while the one who had it is still on its way off the CPU.
  // A leader may come after other threads of its process. `start_time`, ns of CLOCK_BOOTTIME or 0,
  // tells it from one that has the tgid of a process whose end was not seen.
  ThreadHandle Add(uint32_t tid, uint32_t tgid, std::string_view name, uint64_t start_time = 0);

  // A thread outside of the kernel's numbering: idle tasks, interrupt tracks. They stay; the same
  // koid, of processes and of threads, is the same one again.
  ProcessHandle PseudoProcess(fxt::Koid koid, std::string_view name);
  ThreadHandle PseudoThread(ProcessHandle process, fxt::Koid koid, std::string_view name);

  // The thread is gone; its process goes with its last thread. The handles may be given out again.
  void Remove(ThreadHandle handle);

  // A thread other than the leader calls exec: it and the leader exchange tids, and so koids; a
  // leader that is gone already leaves its own to it.
  void TakeOverLeader(ThreadHandle handle, uint32_t tgid);

  // To be called after a change of what is not told otherwise: the thread's name; anything about
  // the process.
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
  // Whether a follower knows it to run.
  bool IsOnCpu(ThreadHandle thread) const {
    return std::any_of(followers_.begin(), followers_.end(),
                       [thread](const TaskFollower* each) { return each->IsOnCpu(thread); });
  }

  // Whether the thread was not removed since; the handle may be another's by then.
  bool IsAlive(ThreadHandle handle) const { return threads_[handle].process != kNoHandle; }

  // Handles below these were given out.
  uint32_t thread_handles() const { return threads_.size(); }
  uint32_t process_handles() const { return processes_.size(); }
  size_t thread_count() const { return live_threads_; }
  size_t process_count() const { return live_processes_; }
  // Calls `visit(handle)` for each thread alive.
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
  // How often a number was given out: 0 never, n: n-1 is the last generation.
  TidMap<uint16_t, 0> thread_uses_;
  TidMap<uint16_t, 0> process_uses_;
  Slab<Thread> threads_;
  Slab<Process> processes_;
  std::vector<ThreadHandle> free_threads_;
  std::vector<ProcessHandle> free_processes_;
  // By koid.
  std::unordered_map<fxt::Koid, ThreadHandle> pseudo_threads_;
  std::unordered_map<fxt::Koid, ProcessHandle> pseudo_processes_;
  std::vector<TaskFollower*> followers_;
  size_t live_threads_ = 0;
  size_t live_processes_ = 0;
};

}  // namespace model
