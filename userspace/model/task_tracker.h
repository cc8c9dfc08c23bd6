// SPDX-License-Identifier: BSD-2-Clause
// Updates a TaskTable from task events. Independent of output files, which observe the table.
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
  // `identities` outlives the tracker. `sees_switches`: OnLastSwitch reports a thread's last
  // switch.
  TaskTracker(IdentitySource& identities, bool sees_switches)
      : identities_(identities), sees_switches_(sees_switches) {}

  TaskTable& table() { return table_; }
  const TaskTable& table() const { return table_; }
  IdentitySource& identities() { return identities_; }

  // A task that exists at the start of the capture. EndSnapshot follows the last one.
  void OnSnapshotTask(const fxr_task& task);
  void EndSnapshot();
  // A task that exists at the end. Its process is reported as moved if the user or cgroup differs.
  // A change of the uid has no event: it shows at the next exec, fork, rename or exit, or here.
  void OnFinalTask(const fxr_task& task);

  // Copies all tasks of `other` into this empty tracker, without the history of tid uses, so that
  // koids are those of a recording that begins now.
  void CopyTasks(const TaskTracker& other);

  // Forgets the history of tids: koids are those of a recording that begins now.
  void Renumber();
  // From here on; see the constructor.
  void set_sees_switches(bool sees) { sees_switches_ = sees; }

  // Each returns the affected thread; OnFork the new one.
  ThreadHandle OnFork(const fxr_task& task);
  // `event` has header.size bytes.
  ThreadHandle OnExec(const fxr_exec& event);
  ThreadHandle OnRename(const fxr_rename& event);
  // `time` is in ns of the clock of Sweep().
  ThreadHandle OnExit(uint64_t time, const fxr_exit& event);
  void OnCgroup(const fxr_cgroup& event);

  // The thread with this tid, which runs or is about to run. A thread whose fork was not seen is
  // looked up, or named by its tid.
  ThreadHandle Thread(uint32_t tid) {
    const ThreadHandle handle = table_.Find(tid);
    return handle != kNoHandle ? handle : FindUnseen(tid);
  }
  // The same for a thread that is only mentioned, such as the target of a signal. It may be the
  // exited leader of a live process.
  ThreadHandle Named(uint32_t tid) {
    const ThreadHandle handle = table_.Find(tid);
    return handle != kNoHandle ? handle : LookUp(tid);
  }

  // The thread takes the tid of its process's exited leader: it is in exec. The leader keeps the
  // thread's tid, because its last switch may still come.
  void BecomeLeader(ThreadHandle handle, uint32_t tgid);

  // The thread was switched out for the last time.
  void OnLastSwitch(ThreadHandle thread) { table_.Remove(thread); }
  // Removes threads that exited well before `time`, ns, without a last switch, and the oldest of
  // too many.
  void Sweep(uint64_t time);

 private:
  struct Ended {
    uint64_t time;
    ThreadHandle thread;
    fxt::Koid koid;
  };
  // False: the thread has gone; another one may have its handle.
  bool IsThere(const Ended& ended) const;
  void DropOldestEnded();
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
