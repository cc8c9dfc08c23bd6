// SPDX-License-Identifier: BSD-2-Clause
// Who is who: the threads and processes that are alive at this point of the event stream, their
// names, and the koid each of them has for the whole capture.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/format.h"
#include "fxt/thread_slot.h"
#include "model/command_line.h"
#include "model/slab.h"
#include "model/tid_map.h"
#include "schema/linux_state.h"

namespace model {

// A dense small number, used again once its owner is gone.
using ThreadHandle = uint32_t;
using ProcessHandle = uint32_t;
inline constexpr uint32_t kNoHandle = 0xffffffff;

struct Process {
  uint32_t tgid = 0;
  fxt::Koid koid = 0;
  // Nothing where nobody told.
  std::optional<uint32_t> ppid;
  std::optional<uint32_t> uid;
  uint32_t thread_count = 0;
  bool is_kernel = false;
  bool announced = false;   // a kernel object record with the present values is in the file
  bool has_leader = false;  // the leader was among its threads, it may be gone
  // ns of CLOCK_BOOTTIME, 0: not known. Of the leader, else the earliest of its threads.
  uint64_t start_time = 0;
  std::string name;
  CommandLine cmdline;
  std::string cgroup;
};

// What every event looks at comes first, in one cache line.
struct alignas(64) Thread {
  fxt::Koid koid = 0;
  fxt::Koid process_koid = 0;
  fxt::ThreadSlot slot;  // that it was last written with
  uint32_t tid = 0;
  ThreadHandle handle = kNoHandle;  // its own
  ProcessHandle process = kNoHandle;
  int32_t on_cpu = -1;
  uint32_t syscall = 0;
  fxt::Koid syscall_koid = 0;  // that it entered the call with: exec can change the thread's own
  schema::ToldStates told_states;
  bool announced = false;
  bool exiting = false;  // called exit; only its last switch is to come
  bool in_syscall = false;
  bool syscall_is_compat = false;
  uint64_t start_time = 0;  // ns of CLOCK_BOOTTIME; 0: not known
  std::string name;
};

class TaskTable {
 public:
  TaskTable();

  // kNoHandle when the tid is not known.
  ThreadHandle Find(uint32_t tid) const {
    const Thread* thread = by_tid_.Get(tid);
    return thread ? thread->handle : kNoHandle;
  }
  // Null when the tid is not known. Threads stay where they are.
  Thread* FindThread(uint32_t tid) { return by_tid_.Get(tid); }
  // The same, or `idle` for tid 0, which every CPU has one of. No branch depends on which it is.
  Thread* FindThread(uint32_t tid, Thread* const& idle) {
    Thread* const* place = by_tid_.Place(tid);
    return *(tid == 0 ? &idle : place);
  }
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

  // A thread outside of the kernel's numbering: idle tasks, interrupt tracks.
  ProcessHandle AddPseudoProcess(fxt::Koid koid, std::string_view name);
  ThreadHandle AddPseudoThread(ProcessHandle process, fxt::Koid koid, std::string_view name);

  // The thread is gone; its process goes with its last thread. The handles may be given out again.
  void Remove(ThreadHandle handle);

  // A thread other than the leader calls exec: it and the leader exchange tids, and so koids; a
  // leader that is gone already leaves its own to it.
  void TakeOverLeader(ThreadHandle handle, uint32_t tgid);

  size_t thread_count() const { return live_threads_; }
  size_t process_count() const { return live_processes_; }
  // Calls `visit(handle)` for each thread alive.
  template <typename Visit>
  void ForEachThread(Visit visit) const {
    for (ThreadHandle handle = 0; handle < threads_.size(); ++handle) {
      if (threads_[handle].process != kNoHandle) visit(handle);
    }
  }

 private:
  fxt::Koid NextKoid(uint32_t tid, TidMap<uint16_t, 0>& uses);
  static bool MayLead(const Process& process, uint64_t start_time);
  ProcessHandle MakeProcess(uint32_t tgid);
  ThreadHandle NewThreadHandle();
  ProcessHandle NewProcessHandle();

  TidMap<Thread*, nullptr> by_tid_;
  TidMap<uint32_t, kNoHandle> process_by_tgid_;
  // How often a number was given out: 0 never, n: n-1 is the last generation.
  TidMap<uint16_t, 0> thread_uses_;
  TidMap<uint16_t, 0> process_uses_;
  Slab<Thread> threads_;
  Slab<Process> processes_;
  std::vector<ThreadHandle> free_threads_;
  std::vector<ProcessHandle> free_processes_;
  size_t live_threads_ = 0;
  size_t live_processes_ = 0;
};

}  // namespace model
