// SPDX-License-Identifier: BSD-2-Clause
// An observer of a TaskTable that keeps data of its own per thread and process handle, such as a
// file writer.
#pragma once

#include <cstdint>

namespace model {

// A dense small number, reused after its owner is removed.
using ThreadHandle = uint32_t;
using ProcessHandle = uint32_t;
inline constexpr uint32_t kNoHandle = 0xffffffff;

class TaskFollower {
 public:
  virtual ~TaskFollower() = default;

  // The handle now stands for a new thread or process. Find() no longer returns another thread that
  // had the tid.
  virtual void OnNewThread(ThreadHandle thread) = 0;
  virtual void OnNewProcess(ProcessHandle process) = 0;
  // The handle may be reused. Data of the thread stays readable until then, for a CPU that still
  // runs it.
  virtual void OnThreadGone(ThreadHandle thread) = 0;

  // Its name changed.
  virtual void OnThreadChanged(ThreadHandle thread) = 0;
  // Its name or other properties changed.
  virtual void OnProcessChanged(ProcessHandle process) = 0;
  // Its user or cgroup changed without an event that shows it. `leader` is its first thread.
  virtual void OnProcessMoved(ThreadHandle leader) = 0;
  // The thread took its leader's tid and koid, and the leader took the thread's; `leader` is
  // kNoHandle if it was removed before.
  virtual void OnLeaderReplaced(ThreadHandle thread, ThreadHandle leader) = 0;

  // True if the thread is known to run, so that its last switch is still to come.
  virtual bool IsOnCpu(ThreadHandle thread) const = 0;
};

}  // namespace model
