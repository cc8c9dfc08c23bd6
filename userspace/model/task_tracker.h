// SPDX-License-Identifier: BSD-2-Clause
// Keeps a table of tasks in step with the events that tell of them. Knows nothing of files: what is
// told of whom, where, is the business of the table's followers.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>

#include "fxt_record/event.h"
#include "model/identity_source.h"
#include "model/task_table.h"

namespace model {

class TaskTracker {
 public:
  // `identities` outlives the tracker. `sees_switches`: a thread's last switch will be told by
  // OnLastSwitch.
  TaskTracker(IdentitySource& identities, bool sees_switches)
      : identities_(identities), sees_switches_(sees_switches) {}

  TaskTable& table() { return table_; }
  const TaskTable& table() const { return table_; }
  IdentitySource& identities() { return identities_; }

  // A task that exists at the start of the capture; EndSnapshot follows the last one.
  void OnSnapshotTask(const fxr_task& task);
  void EndSnapshot();
  // A task that exists at the end: its process has moved if it is another user's or in another
  // cgroup than was told. Nothing tells of a change of the uid when it happens; the next exec,
  // fork, rename or exit shows it, or the end does.
  void OnFinalTask(const fxr_task& task);

  // Takes in all tasks that `other` knows, as it knows them; numbers that were used before are
  // forgotten, so that koids are what they are in a recording which begins now. Into an empty
  // tracker.
  void CopyTasks(const TaskTracker& other);

  // Each returns the thread that it happened to: of OnFork the new one.
  ThreadHandle OnFork(const fxr_task& task);
  // header.size bytes.
  ThreadHandle OnExec(const fxr_exec& event);
  ThreadHandle OnRename(const fxr_rename& event);
  // `time` in ns of the clock of Sweep().
  ThreadHandle OnExit(uint64_t time, const fxr_exit& event);
  void OnCgroup(const fxr_cgroup& event);

  // The thread with this tid, which runs or is about to. One whose birth was not seen is looked up,
  // or goes by its number.
  ThreadHandle Thread(uint32_t tid) {
    const ThreadHandle handle = table_.Find(tid);
    return handle != kNoHandle ? handle : FindUnseen(tid);
  }
  // The same of one that is only named, as the target of a signal is: it may be the leader of a
  // process that lives on without it.
  ThreadHandle Named(uint32_t tid) {
    const ThreadHandle handle = table_.Find(tid);
    return handle != kNoHandle ? handle : LookUp(tid);
  }

  // The thread takes the tid of its process's leader, which has exited: it is in the middle of
  // exec. The leader stays, with the thread's: its last switch may be to come.
  void BecomeLeader(ThreadHandle handle, uint32_t tgid);

  // The thread will not run again.
  void OnLastSwitch(ThreadHandle thread) { table_.Remove(thread); }
  // Lets go of threads that ended a while before `time`, ns, and whose last switch was not seen.
  void Sweep(uint64_t time);

 private:
  struct Ended {
    uint64_t time;
    ThreadHandle thread;
    fxt::Koid koid;
  };
  Process& ProcessOf(ThreadHandle handle) { return table_.process(table_.thread(handle).process); }
  ThreadHandle FindUnseen(uint32_t tid);
  ThreadHandle LookUp(uint32_t tid);
  ThreadHandle TakeOverLeaderId(uint32_t tid);
  void Identify(ThreadHandle handle, const fxr_task& task);
  void NameProcess(ThreadHandle leader);
  bool Leads(ThreadHandle handle) const;
  void UpdateUid(ThreadHandle handle, uint32_t uid);
  void UpdateCgroup(ThreadHandle handle, uint64_t id);
  void Rename(ThreadHandle handle, std::string_view comm, std::string_view full_name);

  IdentitySource& identities_;
  bool sees_switches_;
  TaskTable table_;
  std::deque<Ended> ended_;
};

}  // namespace model
