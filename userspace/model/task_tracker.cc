// SPDX-License-Identifier: BSD-2-Clause
#include "model/task_tracker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "model/process_name.h"

namespace model {
namespace {

// Time for which an exited thread is kept without its last switch, ns.
constexpr uint64_t kGraceWithoutSwitches = 1'000'000'000;
constexpr uint64_t kGraceForLastSwitch = 10'000'000'000;
// And how many at least: 100,000 processes can end within that time, and each takes about 500
// bytes. There are twice as many at most.
constexpr size_t kKeptEnded = size_t{1} << 13;

template <size_t kBytes>
std::string_view Text(const char (&bytes)[kBytes]) {
  return {bytes, strnlen(bytes, kBytes)};
}

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

void TaskTracker::Identify(ThreadHandle handle, const fxr_task& task) {
  model::Thread& thread = table_.thread(handle);
  Process& process = table_.process(thread.process);
  std::string_view full_name = Text(task.full_name);
  thread.name = full_name.empty() ? Text(task.comm) : full_name;
  process.is_kernel = (task.flags & FXR_TASK_KTHREAD) != 0;
  if (task.tid == task.tgid) table_.NotifyProcessChanged(thread.process);
  if (task.tid != task.tgid && process.uid) return;
  process.ppid = task.ppid;
  process.uid = task.uid;
  process.cgroup = identities_.CgroupPath(task.cgroup);
}

// For a leader of the snapshot or of a lookup: reads the properties of its process that no event
// carries.
void TaskTracker::NameProcess(ThreadHandle handle) {
  const model::Thread& thread = table_.thread(handle);
  Process& process = table_.process(thread.process);
  if (process.is_kernel) {
    process.name = thread.name;
    return;
  }
  ProcessText text = identities_.TextOf(process.tgid);
  process.name = ChooseProcessName(thread.name, text.executable, text.cmdline.text);
  process.cmdline = std::move(text.cmdline);
}

// A process has the properties of its leader.
bool TaskTracker::Leads(ThreadHandle handle) const {
  const model::Thread& thread = table_.thread(handle);
  return thread.tid == table_.process(thread.process).tgid;
}

void TaskTracker::UpdateUid(ThreadHandle handle, uint32_t uid) {
  Process& process = ProcessOf(handle);
  if (!Leads(handle) || process.uid == uid) return;
  process.uid = uid;
  table_.NotifyProcessMoved(handle);
}

void TaskTracker::UpdateCgroup(ThreadHandle handle, uint64_t id) {
  Process& process = ProcessOf(handle);
  if (!Leads(handle)) return;
  std::string path = identities_.CgroupPath(id);
  if (process.cgroup == path) return;
  process.cgroup = std::move(path);
  table_.NotifyProcessMoved(handle);
}

void TaskTracker::OnSnapshotTask(const fxr_task& task) {
  if (task.tid == 0) return;
  const ThreadHandle known = table_.Find(task.tid);
  if (known != kNoHandle && table_.thread(known).start_time == task.start_time) return;
  const ThreadHandle handle = table_.Add(task.tid, task.tgid, Text(task.comm), task.start_time);
  Identify(handle, task);
  if (task.tid == task.tgid) NameProcess(handle);
}

void TaskTracker::EndSnapshot() {
  table_.ForEachThread([this](ThreadHandle handle) {
    Process& process = ProcessOf(handle);
    if (process.name.empty()) process.name = table_.thread(handle).name;
  });
}

void TaskTracker::CopyTasks(const TaskTracker& other) {
  const TaskTable& theirs = other.table_;
  const auto is_copied = [&](ThreadHandle handle) {
    // Pseudo threads are created on demand. If two threads have one tid, the other one is being
    // switched out.
    return theirs.Find(theirs.thread(handle).tid) == handle;
  };
  theirs.ForEachThread([&](ThreadHandle handle) {
    if (!is_copied(handle)) return;
    const model::Thread& thread = theirs.thread(handle);
    table_.Add(thread.tid, theirs.process(thread.process).tgid, thread.name, thread.start_time);
  });
  theirs.ForEachThread([&](ThreadHandle handle) {
    if (!is_copied(handle)) return;
    const model::Thread& thread = theirs.thread(handle);
    const ThreadHandle copy = table_.Find(thread.tid);
    table_.thread(copy).exiting = thread.exiting;
    Process& process = ProcessOf(copy);
    if (!process.name.empty()) return;
    const Process& original = theirs.process(thread.process);
    process.ppid = original.ppid;
    process.uid = original.uid;
    process.is_kernel = original.is_kernel;
    process.has_leader = original.has_leader;
    process.start_time = original.start_time;
    process.name = original.name;
    process.cmdline = original.cmdline;
    process.cgroup = original.cgroup;
  });
  for (const Ended& ended : other.ended_) {
    if (!other.IsThere(ended) || !is_copied(ended.thread)) continue;
    const model::Thread& thread = theirs.thread(ended.thread);
    const ThreadHandle copy = table_.Find(thread.tid);
    ended_.push_back({ended.time, copy, table_.thread(copy).koid});
  }
}

void TaskTracker::Renumber() {
  std::erase_if(ended_, [this](const Ended& ended) {
    return !IsThere(ended) || table_.Find(table_.thread(ended.thread).tid) != ended.thread;
  });
  table_.Renumber();
  for (Ended& ended : ended_) ended.koid = table_.thread(ended.thread).koid;
}

void TaskTracker::OnFinalTask(const fxr_task& task) {
  const ThreadHandle handle = table_.Find(task.tid);
  if (handle == kNoHandle || table_.thread(handle).start_time != task.start_time) return;
  UpdateUid(handle, task.uid);
  UpdateCgroup(handle, task.cgroup);
}

// A non-leader thread that calls exec takes the leader's tid after all other threads exited, long
// before the exec event (fs/exec.c: de_thread). So a free tid that is a live process's tgid belongs
// to the only thread there that has not exited, provided that the leader was known.
ThreadHandle TaskTracker::TakeOverLeaderId(uint32_t tid) {
  const ProcessHandle process = table_.FindProcess(tid);
  if (process == kNoHandle || !table_.process(process).has_leader) return kNoHandle;
  ThreadHandle only = kNoHandle;
  bool unique = true;
  table_.ForEachThread([&](ThreadHandle handle) {
    const model::Thread& thread = table_.thread(handle);
    if (thread.process != process || thread.exiting) return;
    unique = only == kNoHandle;
    only = handle;
  });
  if (only == kNoHandle || !unique) return kNoHandle;
  BecomeLeader(only, tid);
  return only;
}

void TaskTracker::BecomeLeader(ThreadHandle handle, uint32_t tgid) {
  const ThreadHandle leader = table_.Find(tgid);
  const fxt::Koid taken = leader == kNoHandle ? 0 : table_.thread(leader).koid;
  table_.TakeOverLeader(handle, tgid);
  // The exited leader has another koid by now.
  if (leader != kNoHandle) {
    for (Ended& ended : ended_) {
      if (ended.thread == leader && ended.koid == taken) ended.koid = table_.thread(leader).koid;
    }
  }
}

ThreadHandle TaskTracker::FindUnseen(uint32_t tid) {
  const ThreadHandle handle = TakeOverLeaderId(tid);
  return handle != kNoHandle ? handle : LookUp(tid);
}

ThreadHandle TaskTracker::LookUp(uint32_t tid) {
  const std::optional<fxr_task> task = identities_.LookUp(tid);
  if (!task) {
    std::string name = fmt::format("tid {}", tid);
    // Either the exited leader of a live process, or a process whose fork was lost.
    const ProcessHandle known = table_.FindProcess(tid);
    const uint64_t start_time = known == kNoHandle ? 0 : table_.process(known).start_time;
    const ThreadHandle handle = table_.Add(tid, tid, name, start_time);
    Process& process = ProcessOf(handle);
    if (process.name.empty()) process.name = name;
    return handle;
  }
  const ThreadHandle handle = table_.Add(tid, task->tgid, Text(task->comm), task->start_time);
  Identify(handle, *task);
  if (tid == task->tgid || ProcessOf(handle).name.empty()) NameProcess(handle);
  return handle;
}

ThreadHandle TaskTracker::OnFork(const fxr_task& task) {
  ThreadHandle handle = table_.Find(task.tid);
  if (handle != kNoHandle && table_.thread(handle).start_time == task.start_time) return handle;
  // A previous owner of the tid is gone, even if its exit was lost, unless it is still on a CPU and
  // its last switch is to come.
  if (handle != kNoHandle && !table_.IsOnCpu(handle)) table_.Remove(handle);
  handle = table_.Add(task.tid, task.tgid, Text(task.comm), task.start_time);
  Identify(handle, task);
  Process& process = ProcessOf(handle);
  ThreadHandle creator = table_.Find(task.creator);
  if (creator == handle) creator = kNoHandle;
  // Children inherit the credentials.
  if (creator != kNoHandle) UpdateUid(creator, task.uid);
  if (process.name.empty() || task.tid == task.tgid) {
    if (creator != kNoHandle) {
      const Process& parent = ProcessOf(creator);
      process.name = parent.is_kernel ? table_.thread(handle).name : parent.name;
      process.cmdline = parent.cmdline;
    } else {
      process.name = table_.thread(handle).name;
    }
  }
  return handle;
}

ThreadHandle TaskTracker::OnExec(const fxr_exec& event) {
  ThreadHandle handle = table_.Find(event.old_tid);
  if (event.old_tid != event.tid) {
    const ProcessHandle process = table_.FindProcess(event.tgid);
    if (handle != kNoHandle && process != kNoHandle && table_.thread(handle).process == process &&
        !table_.thread(handle).exiting) {
      const ThreadHandle leader = table_.Find(event.tgid);
      BecomeLeader(handle, event.tgid);
      // Without last switches nothing else removes it.
      if (leader != kNoHandle && !sees_switches_ && !table_.IsOnCpu(leader)) table_.Remove(leader);
    } else {
      handle = kNoHandle;  // it has taken the leader's tid, and the exiting leader has its tid
    }
  }
  if (handle == kNoHandle) handle = Thread(event.tid);
  model::Thread& thread = table_.thread(handle);
  Process& process = table_.process(thread.process);
  thread.name = Text(event.comm);
  const size_t size = std::min<size_t>(event.cmdline_size, event.header.size - sizeof(event));
  process.cmdline =
      size == 0 ? CommandLine{} : MakeCommandLine({event.cmdline, size}, event.cmdline_length);
  process.name =
      ChooseProcessName(thread.name, BaseName(Text(event.filename)), process.cmdline.text);
  process.uid = event.uid;
  process.cgroup = identities_.CgroupPath(event.cgroup);
  table_.NotifyThreadChanged(handle);
  table_.NotifyProcessChanged(thread.process);
  return handle;
}

void TaskTracker::Rename(ThreadHandle handle, std::string_view comm, std::string_view full_name) {
  model::Thread& thread = table_.thread(handle);
  Process& process = table_.process(thread.process);
  thread.name = full_name.empty() ? comm : full_name;
  table_.NotifyThreadChanged(handle);
  if (thread.tid != process.tgid) return;
  std::string name(process.is_kernel ? std::string_view(thread.name)
                                     : ChooseProcessName(comm, process.name, ""));
  if (name == process.name) return;
  process.name = name;
  table_.NotifyProcessChanged(thread.process);
}

ThreadHandle TaskTracker::OnRename(const fxr_rename& event) {
  const ThreadHandle handle = Thread(event.tid);
  UpdateUid(handle, event.uid);
  Rename(handle, Text(event.comm), Text(event.full_name));
  return handle;
}

ThreadHandle TaskTracker::OnExit(uint64_t time, const fxr_exit& event) {
  const ThreadHandle handle = Thread(event.tid);
  UpdateUid(handle, event.uid);
  table_.thread(handle).exiting = true;
  ended_.push_back({time, handle, table_.thread(handle).koid});
  return handle;
}

void TaskTracker::OnCgroup(const fxr_cgroup& event) {
  const ThreadHandle handle = table_.Find(event.tid);
  if (handle != kNoHandle) UpdateCgroup(handle, event.cgroup);
}

bool TaskTracker::IsThere(const Ended& ended) const {
  const model::Thread& thread = table_.thread(ended.thread);
  return thread.process != kNoHandle && thread.koid == ended.koid;
}

void TaskTracker::DropOldestEnded() {
  const ThreadHandle oldest = ended_.front().thread;
  if (IsThere(ended_.front()) && !table_.IsOnCpu(oldest)) table_.Remove(oldest);
  ended_.pop_front();
}

void TaskTracker::Sweep(uint64_t time) {
  const uint64_t grace = sees_switches_ ? kGraceForLastSwitch : kGraceWithoutSwitches;
  while (!ended_.empty() && (!IsThere(ended_.front()) || ended_.front().time + grace <= time)) {
    DropOldestEnded();
  }
  if (ended_.size() < 2 * kKeptEnded) return;
  std::erase_if(ended_, [this](const Ended& ended) { return !IsThere(ended); });
  while (ended_.size() > kKeptEnded) DropOldestEnded();
}

}  // namespace model
