// SPDX-License-Identifier: BSD-2-Clause
#include "translate/file/trace_writer.h"

#include <string>

#include "fxt/utf8.h"
#include "schema/event_info.h"
#include "schema/names.h"

namespace translate {
namespace {

constexpr size_t kMaxTextBytes = 1024;

}  // namespace

std::string_view TextOf(CommonString word) {
  namespace argument = schema::argument;
  namespace event = schema::event;
  constexpr std::array<std::string_view, static_cast<size_t>(CommonString::kCommonStrings)> kTexts =
      {schema::kRecorderName,
       argument::kWaker,
       argument::kVia,
       argument::kNetRx,
       argument::kProcess,
       event::kLinuxState,
       argument::kState,
       event::kUnseenSwitch,
       event::kLostEvents,
       argument::kCpu,
       argument::kCount,
       argument::kCategory,
       "ret",
       argument::kParent,
       argument::kUser,
       argument::kCommandLine,
       argument::kCommandLineCut,
       argument::kCgroup,
       event::kFork,
       event::kExec,
       event::kExit,
       event::kRename,
       argument::kChild,
       "name",
       "filename",
       "code",
       "message"};
  return kTexts[static_cast<size_t>(word)];
}

TraceWriter::TraceWriter(fxt::ProviderWriter& writer, model::TaskTable& tasks)
    : writer_(writer), tasks_(tasks), announced_processes_(tasks.process_handles()) {
  for (model::ThreadHandle handle = 0; handle < tasks.thread_handles(); ++handle) {
    threads_[threads_.Add()].handle = handle;
  }
  tasks_.Follow(*this);
  for (uint32_t category = 0; category < categories_.size(); ++category) {
    categories_[category] = writer_.Declare(schema::CategoryName(category));
  }
  for (size_t i = 0; i < strings_.size(); ++i) {
    strings_[i] = writer_.Declare(TextOf(static_cast<CommonString>(i)));
  }
}

TraceWriter::~TraceWriter() { tasks_.Unfollow(*this); }

void TraceWriter::OnNewThread(model::ThreadHandle handle) {
  if (handle == threads_.size()) threads_.Add();
  threads_[handle] = FileThread{.handle = handle};
  // The tid may still point to another live thread.
  announced_.Set(tasks_.thread(handle).tid, nullptr);
}

// Keeps `tid`: a CPU may still run the thread, and its next switch names it by the tid.
void TraceWriter::OnThreadGone(model::ThreadHandle handle) {
  const FileThread& gone = thread(handle);
  if (gone.announced()) {
    removed_[removals_++ % removed_.size()] = {gone.tid, gone.process_koid, gone.koid};
  }
  Hide(thread(handle));
  Forget(handle);
}

const TraceWriter::RemovedThread* TraceWriter::FindRemoved(uint32_t tid) const {
  for (size_t i = removals_; i > 0 && removals_ - i < removed_.size(); --i) {
    const RemovedThread& removed = removed_[(i - 1) % removed_.size()];
    if (removed.tid == tid) return &removed;
  }
  return nullptr;
}

void TraceWriter::Hide(const FileThread& thread) {
  if (thread.announced() && announced_.Get(thread.tid) == &thread) {
    announced_.Set(thread.tid, nullptr);
  }
}

void TraceWriter::Unannounce(FileThread& thread) {
  Hide(thread);
  thread.tid = FileThread::kNotAnnounced;
}

void TraceWriter::OnNewProcess(model::ProcessHandle process) {
  if (process >= announced_processes_.size()) announced_processes_.resize(process + size_t{1});
  announced_processes_[process] = false;
}

// Writes the change at once, because no later event would.
void TraceWriter::OnProcessMoved(model::ThreadHandle leader) {
  const model::ProcessHandle process = tasks_.thread(leader).process;
  if (!announced_processes_[process]) return;
  announced_processes_[process] = false;
  Announce(leader);
}

void TraceWriter::OnLeaderReplaced(model::ThreadHandle handle, model::ThreadHandle leader) {
  Forget(handle);
  Unannounce(thread(handle));
  if (leader == model::kNoHandle) {
    thread(handle).emitted_states.Forget();
    return;
  }
  Forget(leader);
  Unannounce(thread(leader));
  // The leader takes over the koid, and readers keep the states by koid.
  std::swap(thread(handle).emitted_states, thread(leader).emitted_states);
}

void TraceWriter::Forget(model::ThreadHandle handle) {
  thread(handle).slot = {};
  writer_.ForgetThread(handle);
}

void TraceWriter::AnnounceProcess(const model::Process& process) {
  OpenRecord record = Begin();
  std::array<fxt::Argument, 5> arguments;
  size_t count = 0;
  // The strings are arbitrary bytes of programs; argument values must be UTF-8. Replacement
  // characters can triple the size of a command line, which still fits.
  static_assert(3 * model::kMaxCommandLineBytes + 2 * kMaxTextBytes < 32'000);
  std::string cmdline = fxt::ToValidUtf8(process.cmdline.text);
  if (!cmdline.empty()) {
    arguments[count++] = {record.Ref(CommonString::kCmdline), fxt::StringRef::Inline(cmdline)};
    if (process.cmdline.length > 0) {
      arguments[count++] = {record.Ref(CommonString::kCmdlineCut), process.cmdline.length};
    }
  }
  if (process.ppid) arguments[count++] = {record.Ref(CommonString::kPpid), *process.ppid};
  if (process.uid) arguments[count++] = {record.Ref(CommonString::kUid), *process.uid};
  std::string cgroup = fxt::ToValidUtf8(process.cgroup);
  if (!cgroup.empty()) {
    arguments[count++] = {record.Ref(CommonString::kCgroup),
                          record.Intern(fxt::CutUtf8(cgroup, kMaxTextBytes))};
  }
  record.Write(fxt::KernelObject{
      .type = static_cast<uint8_t>(fxt::KernelObjectType::kProcess),
      .koid = process.koid,
      .name = fxt::StringRef::Inline(std::string_view(process.name).substr(0, kMaxTextBytes)),
      .arguments = {arguments.data(), count}});
}

void TraceWriter::Announce(model::ThreadHandle handle) {
  const model::Thread& thread = tasks_.thread(handle);
  if (!announced_processes_[thread.process]) {
    announced_processes_[thread.process] = true;
    AnnounceProcess(tasks_.process(thread.process));
  }
  FileThread& announced = this->thread(handle);
  if (announced.announced()) return;
  announced.koid = thread.koid;
  announced.process_koid = thread.process_koid;
  announced.tid = thread.tid;
  if (thread.tid != 0 && tasks_.Find(thread.tid) == handle) announced_.Set(thread.tid, &announced);
  OpenRecord record = Begin();
  const fxt::Argument argument{record.Ref(CommonString::kProcess),
                               fxt::KoidValue{thread.process_koid}};
  record.Write(fxt::KernelObject{
      .type = static_cast<uint8_t>(fxt::KernelObjectType::kThread),
      .koid = thread.koid,
      .name = fxt::StringRef::Inline(std::string_view(thread.name).substr(0, kMaxTextBytes)),
      .arguments = {&argument, 1}});
}

}  // namespace translate
