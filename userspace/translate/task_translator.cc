// SPDX-License-Identifier: BSD-2-Clause
#include "translate/task_translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "fxt/utf8.h"
#include "model/process_name.h"

namespace translate {
namespace {

using model::kNoHandle;
using model::ThreadHandle;

// How long a thread that called exit is kept when its last switch does not come: it may take that
// long to be written off, not longer.
constexpr uint64_t kGraceWithoutSwitches = 1'000'000'000;
constexpr uint64_t kGraceForLastSwitch = 10'000'000'000;

template <size_t kBytes>
std::string_view Text(const char (&bytes)[kBytes]) {
  return {bytes, strnlen(bytes, kBytes)};
}

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

bool TaskTranslator::TakeIn(const fxr_side_header& header) {
  const bool recorded =
      record_events_ && header.time >= record_from_ && (header.flags & FXR_SIDE_NAMES_ONLY) == 0;
  ++stats_.events[FXR_CATEGORY_TASK];
  ++(recorded ? stats_.recorded[FXR_CATEGORY_TASK] : stats_.identity_only);
  return recorded;
}

void TaskTranslator::WriteInstant(uint64_t time, OpenRecord& record, Word name,
                                  std::span<const fxt::Argument> arguments) {
  record.Write(fxt::Event{.type = fxt::EventType::kInstant,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(FXR_CATEGORY_TASK),
                          .name = record.Ref(name),
                          .arguments = arguments});
}

void TaskTranslator::Identify(ThreadHandle handle, const fxr_task& task) {
  model::Thread& thread = file_.tasks().thread(handle);
  model::Process& process = file_.tasks().process(thread.process);
  std::string_view full_name = Text(task.full_name);
  thread.name = full_name.empty() ? Text(task.comm) : full_name;
  process.is_kernel = (task.flags & FXR_TASK_KTHREAD) != 0;
  if (task.tid == task.tgid) process.announced = false;
  if (task.tid != task.tgid && process.uid) return;
  process.ppid = task.ppid;
  process.uid = task.uid;
  process.cgroup = identities_.CgroupPath(task.cgroup);
}

// A leader in the snapshot, or one that was looked up: what no event tells of its process.
void TaskTranslator::NameProcess(ThreadHandle handle) {
  const model::Thread& thread = file_.tasks().thread(handle);
  model::Process& process = file_.tasks().process(thread.process);
  if (process.is_kernel) {
    process.name = thread.name;
    return;
  }
  model::ProcessText text = identities_.TextOf(process.tgid);
  process.name = model::ChooseProcessName(thread.name, text.executable, text.cmdline.text);
  process.cmdline = std::move(text.cmdline);
}

void TaskTranslator::TellAgain(ThreadHandle handle) {
  model::Process& process = file_.tasks().process(file_.tasks().thread(handle).process);
  if (!process.announced) return;
  process.announced = false;
  file_.Announce(handle);
}

// A process is whom its leader is and where its leader is.
bool TaskTranslator::Leads(ThreadHandle handle) const {
  const model::Thread& thread = file_.tasks().thread(handle);
  return thread.tid == file_.tasks().process(thread.process).tgid;
}

void TaskTranslator::NoteUid(ThreadHandle handle, uint32_t uid) {
  model::Process& process = file_.tasks().process(file_.tasks().thread(handle).process);
  if (!Leads(handle) || process.uid == uid) return;
  process.uid = uid;
  TellAgain(handle);
}

void TaskTranslator::NoteCgroup(ThreadHandle handle, uint64_t id) {
  model::Process& process = file_.tasks().process(file_.tasks().thread(handle).process);
  if (!Leads(handle)) return;
  std::string path = identities_.CgroupPath(id);
  if (process.cgroup == path) return;
  process.cgroup = std::move(path);
  TellAgain(handle);
}

void TaskTranslator::OnSnapshotTask(const fxr_task& task) {
  if (task.tid == 0) return;
  ThreadHandle known = file_.tasks().Find(task.tid);
  if (known != kNoHandle && file_.tasks().thread(known).start_time == task.start_time) return;
  ThreadHandle handle = file_.tasks().Add(task.tid, task.tgid, Text(task.comm), task.start_time);
  Identify(handle, task);
  if (task.tid == task.tgid) NameProcess(handle);
}

void TaskTranslator::OnFinalTask(const fxr_task& task) {
  const ThreadHandle handle = file_.tasks().Find(task.tid);
  if (handle == kNoHandle || file_.tasks().thread(handle).start_time != task.start_time) return;
  NoteUid(handle, task.uid);
  NoteCgroup(handle, task.cgroup);
}

void TaskTranslator::EndSnapshot() {
  file_.tasks().ForEachThread([this](ThreadHandle handle) {
    const model::Thread& thread = file_.tasks().thread(handle);
    model::Process& process = file_.tasks().process(thread.process);
    if (process.name.empty()) process.name = thread.name;
  });
  file_.tasks().ForEachThread([this](ThreadHandle handle) { file_.Announce(handle); });
}

// A thread other than the leader that calls exec gets the leader's tid once all others have exited,
// and long before the exec is told of (fs/exec.c: de_thread). So a tid that is nobody's and a
// living process's tgid belongs to the one thread there that has not exited, if the leader was
// known.
ThreadHandle TaskTranslator::TakenOver(uint32_t tid) {
  const model::ProcessHandle process = file_.tasks().FindProcess(tid);
  if (process == kNoHandle || !file_.tasks().process(process).has_leader) return kNoHandle;
  ThreadHandle only = kNoHandle;
  bool unique = true;
  file_.tasks().ForEachThread([&](ThreadHandle handle) {
    const model::Thread& thread = file_.tasks().thread(handle);
    if (thread.process != process || thread.exiting) return;
    unique = only == kNoHandle;
    only = handle;
  });
  if (only == kNoHandle || !unique) return kNoHandle;
  BecomeLeader(only, tid);
  return only;
}

void TaskTranslator::BecomeLeader(ThreadHandle handle, uint32_t tgid) {
  model::TaskTable& table = file_.tasks();
  const ThreadHandle leader = table.Find(tgid);
  file_.Forget(handle);
  if (leader != kNoHandle && leader != handle) file_.Forget(leader);
  table.TakeOverLeader(handle, tgid);
  // Where last switches are not seen, nothing else would let go of it.
  if (leader != kNoHandle && leader != handle && !sees_switches_) Drop(leader);
}

ThreadHandle TaskTranslator::Unknown(uint32_t tid) {
  if (ThreadHandle handle = TakenOver(tid); handle != kNoHandle) return handle;
  const std::optional<fxr_task> task = identities_.LookUp(tid);
  if (!task) {
    std::string name = fmt::format("tid {}", tid);
    ThreadHandle handle = file_.tasks().Add(tid, tid, name);
    model::Process& process = file_.tasks().process(file_.tasks().thread(handle).process);
    if (process.name.empty()) process.name = name;
    return handle;
  }
  ThreadHandle handle = file_.tasks().Add(tid, task->tgid, Text(task->comm), task->start_time);
  Identify(handle, *task);
  model::Process& process = file_.tasks().process(file_.tasks().thread(handle).process);
  if (tid == task->tgid || process.name.empty()) NameProcess(handle);
  return handle;
}

void TaskTranslator::OnFork(uint64_t time, const fxr_task& task) {
  const bool recorded = TakeIn(task.header);
  model::TaskTable& table = file_.tasks();
  ThreadHandle handle = table.Find(task.tid);
  if (handle == kNoHandle || table.thread(handle).start_time != task.start_time) {
    // Whoever had the tid before is gone even if its end was lost, unless it is still on a CPU:
    // then its last switch is to come.
    if (handle != kNoHandle && table.thread(handle).on_cpu < 0) Drop(handle);
    handle = table.Add(task.tid, task.tgid, Text(task.comm), task.start_time);
    Identify(handle, task);
    model::Process& process = table.process(table.thread(handle).process);
    ThreadHandle creator = table.Find(task.creator);
    if (creator == handle) creator = kNoHandle;
    // Whom a task is, its children are when they are born.
    if (creator != kNoHandle) NoteUid(creator, task.uid);
    if (process.name.empty() || task.tid == task.tgid) {
      if (creator != kNoHandle) {
        const model::Process& parent = table.process(table.thread(creator).process);
        process.name = parent.is_kernel ? table.thread(handle).name : parent.name;
        process.cmdline = parent.cmdline;
      } else {
        process.name = table.thread(handle).name;
      }
    }
  }
  if (!recorded) return;
  const fxt::Koid child = file_.Mention(handle).thread;
  OpenRecord record = file_.Begin(Thread(task.creator == 0 ? task.tid : task.creator));
  const std::array arguments = {fxt::Argument{record.Ref(Word::kChild), fxt::KoidValue{child}}};
  WriteInstant(time, record, Word::kFork, arguments);
}

void TaskTranslator::OnExec(uint64_t time, const fxr_exec& event) {
  const bool recorded = TakeIn(event.header);
  model::TaskTable& table = file_.tasks();
  ThreadHandle handle = table.Find(event.old_tid);
  if (event.old_tid != event.tid) {
    const model::ProcessHandle process = table.FindProcess(event.tgid);
    if (handle != kNoHandle && process != kNoHandle && table.thread(handle).process == process) {
      BecomeLeader(handle, event.tgid);
    } else {
      handle = kNoHandle;  // it has the leader's tid by now
    }
  }
  if (handle == kNoHandle) handle = Thread(event.tid);
  model::Thread& thread = table.thread(handle);
  model::Process& process = table.process(thread.process);
  thread.name = Text(event.comm);
  thread.announced = false;
  const size_t size = std::min<size_t>(event.cmdline_size, event.header.size - sizeof(event));
  process.cmdline = size == 0 ? model::CommandLine{}
                              : model::MakeCommandLine({event.cmdline, size}, event.cmdline_length);
  process.name =
      model::ChooseProcessName(thread.name, BaseName(Text(event.filename)), process.cmdline.text);
  process.uid = event.uid;
  process.cgroup = identities_.CgroupPath(event.cgroup);
  process.announced = false;
  if (!recorded) return;
  OpenRecord record = file_.Begin(handle);
  std::string filename = fxt::ToValidUtf8(Text(event.filename));
  const std::array arguments = {
      fxt::Argument{record.Ref(Word::kFilename), fxt::StringRef::Inline(filename)}};
  WriteInstant(time, record, Word::kExec, arguments);
}

void TaskTranslator::Rename(ThreadHandle handle, std::string_view comm,
                            std::string_view full_name) {
  model::Thread& thread = file_.tasks().thread(handle);
  model::Process& process = file_.tasks().process(thread.process);
  thread.name = full_name.empty() ? comm : full_name;
  thread.announced = false;
  if (thread.tid != process.tgid) return;
  std::string name(process.is_kernel ? std::string_view(thread.name)
                                     : model::ChooseProcessName(comm, process.name, ""));
  if (name == process.name) return;
  process.name = name;
  process.announced = false;
}

void TaskTranslator::OnRename(uint64_t time, const fxr_rename& event) {
  const bool recorded = TakeIn(event.header);
  ThreadHandle handle = Thread(event.tid);
  NoteUid(handle, event.uid);
  Rename(handle, Text(event.comm), Text(event.full_name));
  if (!recorded) return;
  OpenRecord record = file_.Begin(handle);
  std::string name = fxt::ToValidUtf8(Text(event.comm));
  const std::array arguments = {
      fxt::Argument{record.Ref(Word::kName), fxt::StringRef::Inline(name)}};
  WriteInstant(time, record, Word::kRename, arguments);
}

void TaskTranslator::OnExit(uint64_t time, const fxr_exit& event) {
  const bool recorded = TakeIn(event.header);
  ThreadHandle handle = Thread(event.tid);
  NoteUid(handle, event.uid);
  file_.tasks().thread(handle).exiting = true;
  ended_.push_back({time, handle, file_.tasks().thread(handle).koid});
  if (!recorded) return;
  OpenRecord record = file_.Begin(handle);
  const std::array arguments = {fxt::Argument{record.Ref(Word::kCode), event.exit_code}};
  WriteInstant(time, record, Word::kExit, arguments);
}

void TaskTranslator::OnCgroup(const fxr_cgroup& event) {
  ++stats_.events[FXR_CATEGORY_TASK];
  ++stats_.identity_only;
  const ThreadHandle handle = file_.tasks().Find(event.tid);
  if (handle != kNoHandle) NoteCgroup(handle, event.cgroup);
}

void TaskTranslator::Drop(ThreadHandle handle) {
  file_.Forget(handle);
  file_.tasks().Remove(handle);
}

void TaskTranslator::Sweep(uint64_t time) {
  const uint64_t grace = sees_switches_ ? kGraceForLastSwitch : kGraceWithoutSwitches;
  model::TaskTable& table = file_.tasks();
  while (!ended_.empty()) {
    const Ended& oldest = ended_.front();
    const model::Thread& thread = table.thread(oldest.thread);
    const bool still_there = thread.process != kNoHandle && thread.koid == oldest.koid;
    if (still_there && oldest.time + grace > time) break;
    if (still_there && thread.on_cpu < 0) Drop(oldest.thread);
    ended_.pop_front();
  }
}

}  // namespace translate
