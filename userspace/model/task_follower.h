// SPDX-License-Identifier: BSD-2-Clause
// Who keeps something of its own about the threads and processes of a TaskTable, under their
// handles: a file that was told of them, a list of those on a screen.
#pragma once

#include <cstdint>

namespace model {

// A dense small number, used again once its owner is gone.
using ThreadHandle = uint32_t;
using ProcessHandle = uint32_t;
inline constexpr uint32_t kNoHandle = 0xffffffff;

class TaskFollower {
 public:
  virtual ~TaskFollower() = default;

  // The handle stands for a new thread or process from now on; whoever had the thread's tid is not
  // found by it any more.
  virtual void OnNewThread(ThreadHandle thread) = 0;
  virtual void OnNewProcess(ProcessHandle process) = 0;
  // The handle may be given out again. What is kept of the thread is looked at until then: by who
  // still has it on a CPU.
  virtual void OnThreadGone(ThreadHandle thread) = 0;

  // It is known by another name.
  virtual void OnThreadChanged(ThreadHandle thread) = 0;
  // It is known by another name, or more is known of it.
  virtual void OnProcessChanged(ProcessHandle process) = 0;
  // Another user's, or in another cgroup, without an event that would show it. `leader` is its
  // first thread.
  virtual void OnProcessMoved(ThreadHandle leader) = 0;
  // The thread has its leader's tid and koid now, and the leader those of the thread; `leader` is
  // kNoHandle when it was gone.
  virtual void OnLeaderReplaced(ThreadHandle thread, ThreadHandle leader) = 0;

  // Whether the thread is known to run, so that its last switch is still to come.
  virtual bool IsOnCpu(ThreadHandle thread) const = 0;
};

}  // namespace model
