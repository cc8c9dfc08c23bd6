// SPDX-License-Identifier: BSD-2-Clause
// Writes the records of one output file for the translators. Announces threads and processes
// (kernel objects) before their first mention, and interns common strings. Keeps the file's state
// of each thread and process by the handles of the task table; several files may share one table.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "fxt/detail/thread_slot.h"
#include "fxt/format.h"
#include "fxt/provider_writer.h"
#include "fxt/record.h"
#include "fxt_record/event.h"
#include "model/slab.h"
#include "model/task_follower.h"
#include "model/task_table.h"
#include "model/tid_map.h"
#include "schema/linux_state.h"

namespace translate {

// The data that frequent events need of a thread, in one cache line, so that they do not touch the
// model's entry. The ids are those of the last announcement.
struct alignas(64) FileThread {
  // No thread has this tid.
  static constexpr uint32_t kNotAnnounced = 0xffffffff;

  fxt::Koid koid = 0;
  fxt::Koid process_koid = 0;
  fxt::ThreadSlot slot{};  // slot of its last use
  // kNotAnnounced unless kernel objects with the current names are in the file. This makes a lookup
  // by tid sufficient.
  uint32_t tid = kNotAnnounced;
  model::ThreadHandle handle = model::kNoHandle;  // its own handle
  int32_t on_cpu = -1;  // the CPU that runs it according to the file's switches; -1: none
  schema::EmittedStates emitted_states{};
  // The system call whose duration has begun in the file.
  bool in_syscall = false;
  bool has_run = false;  // was on a CPU in this file
  bool syscall_is_compat = false;
  uint32_t syscall = 0;
  fxt::Koid syscall_koid = 0;  // the thread's koid at entry; exec can change it

  bool announced() const { return tid != kNotAnnounced; }
};
static_assert(sizeof(FileThread) == 64);

// Strings that are declared at the start of each file.
enum class CommonString : uint8_t {
  kCategoryRecorder,
  kWaker,
  kVia,
  kNetRx,
  kProcess,
  kLinuxState,
  kState,
  kUnseenSwitch,
  kLostEvents,
  kCpu,
  kCount,
  kCategory,
  kRet,
  kPpid,
  kUid,
  kCmdline,
  kCmdlineCut,
  kCgroup,
  kFork,
  kExec,
  kExit,
  kRename,
  kChild,
  kName,
  kFilename,
  kCode,
  kMessage,
  kCommonStrings,  // count
};
std::string_view TextOf(CommonString word);

class TraceWriter;

// A record under construction (fxt::RecordScope), with access to the common strings.
class OpenRecord {
 public:
  fxt::StringRef Ref(CommonString word);
  fxt::StringRef Ref(fxr_category category);
  fxt::StringRef Refer(fxt::StringId id) { return scope_.Refer(id); }
  // For strings with few distinct values: system calls, interrupts, cgroups.
  fxt::StringRef Intern(std::string_view text) { return scope_.Intern(text); }
  const fxt::ThreadRef& thread() const { return scope_.thread(); }
  uint32_t provider_id() const { return scope_.provider_id(); }
  template <typename R>
  void Write(const R& record);

 private:
  friend class TraceWriter;
  OpenRecord(TraceWriter& file, fxt::RecordScope scope) : file_(file), scope_(scope) {}

  TraceWriter& file_;
  fxt::RecordScope scope_;
};

class TraceWriter final : private model::TaskFollower {
 public:
  // Both outlive the writer.
  TraceWriter(fxt::ProviderWriter& writer, model::TaskTable& tasks);
  ~TraceWriter() override;
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  // Begins a record that mentions no thread, or `handle`, which is announced first.
  OpenRecord Begin() { return OpenRecord(*this, writer_.Begin()); }
  OpenRecord Begin(model::ThreadHandle thread) {
    return OpenRecord(*this, writer_.Begin(Mention(thread)));
  }

  // The file's state of a thread; its address is stable.
  FileThread& thread(model::ThreadHandle handle) { return threads_[handle]; }
  // The thread with this tid if its current names are in the file, else null. Two loads, enough for
  // most events.
  FileThread* FindAnnounced(uint32_t tid) const { return announced_.Get(tid); }
  // The same, or `idle` for tid 0, which every CPU has. Branch-free.
  FileThread* FindAnnounced(uint32_t tid, FileThread* const& idle) const {
    FileThread* const* place = announced_.Place(tid);
    return *(tid == 0 ? &idle : place);
  }

  // The announced ids of a thread that was removed from the task table.
  struct RemovedThread {
    uint32_t tid = FileThread::kNotAnnounced;
    fxt::Koid process_koid = 0;
    fxt::Koid koid = 0;
  };
  // The most recently removed thread with this tid; null if it is not among the last 64.
  const RemovedThread* FindRemoved(uint32_t tid) const;
  // The key of a thread in the thread table, after announcing it and its process.
  fxt::ThreadKey Mention(model::ThreadHandle handle) {
    const FileThread& thread = Announced(handle);
    return {handle, thread.process_koid, thread.koid};
  }
  // The same for records that name threads by koid.
  fxt::Koid KoidOf(model::ThreadHandle handle) { return Announced(handle).koid; }
  // See Translator::ForEachRunProcess().
  template <typename Visit>
  void ForEachRunProcess(Visit visit) const {
    model::ProcessHandle last = model::kNoHandle;
    tasks_.ForEachThread([&](model::ThreadHandle handle) {
      if (!threads_[handle].has_run) return;
      const model::ProcessHandle process = tasks_.thread(handle).process;
      // Threads of one process are mostly adjacent.
      if (process == std::exchange(last, process)) return;
      const model::Process& of = tasks_.process(process);
      if (of.tgid != 0 && !of.is_kernel) visit(of.tgid);
    });
  }
  // Writes the kernel objects of the thread and its process, unless they are current.
  void Announce(model::ThreadHandle handle);

  fxt::StringId Id(CommonString word) const { return strings_[static_cast<size_t>(word)]; }
  // The category's name.
  fxt::StringId Id(fxr_category category) const { return categories_[category]; }
  fxt::StringId Declare(std::string_view text) { return writer_.Declare(text); }

  // Counts a record that the encoder refused. Errors of the sink are reported when it is closed.
  void CountRefusal(fxt::EncodeStatus status) {
    if (status != fxt::EncodeStatus::kOk && status != fxt::EncodeStatus::kSinkFailed) [[unlikely]] {
      ++refused_records_;
    }
  }
  uint64_t refused_records() const { return refused_records_; }

  // Bytes written before compression.
  uint64_t bytes() const { return writer_.archive().bytes(); }

  fxt::ProviderWriter& writer() { return writer_; }
  model::TaskTable& tasks() { return tasks_; }

 private:
  const FileThread& Announced(model::ThreadHandle handle) {
    if (!thread(handle).announced()) [[unlikely]] {
      Announce(handle);
    }
    return thread(handle);
  }
  void AnnounceProcess(const model::Process& process);
  void Unannounce(FileThread& thread);
  // Removes the thread from the lookup by tid.
  void Hide(const FileThread& thread);
  // The handle was freed or its koid changed: its entry in the thread table is invalid.
  void Forget(model::ThreadHandle handle);

  void OnNewThread(model::ThreadHandle handle) override;
  void OnNewProcess(model::ProcessHandle process) override;
  void OnThreadGone(model::ThreadHandle handle) override;
  void OnThreadChanged(model::ThreadHandle handle) override { Unannounce(threads_[handle]); }
  void OnProcessChanged(model::ProcessHandle process) override {
    announced_processes_[process] = false;
  }
  void OnProcessMoved(model::ThreadHandle leader) override;
  void OnLeaderReplaced(model::ThreadHandle handle, model::ThreadHandle leader) override;
  bool IsOnCpu(model::ThreadHandle thread) const override { return threads_[thread].on_cpu >= 0; }

  fxt::ProviderWriter& writer_;
  model::TaskTable& tasks_;
  model::Slab<FileThread> threads_;                // by handle
  model::TidMap<FileThread*, nullptr> announced_;  // the threads that the table finds by tid
  std::vector<bool> announced_processes_;          // by handle: its kernel object is current
  std::array<fxt::StringId, FXR_CATEGORY_COUNTS> categories_;
  std::array<fxt::StringId, static_cast<size_t>(CommonString::kCommonStrings)> strings_;
  uint64_t refused_records_ = 0;
  std::array<RemovedThread, 64> removed_{};  // a ring
  size_t removals_ = 0;
};

inline fxt::StringRef OpenRecord::Ref(CommonString word) { return scope_.Refer(file_.Id(word)); }
inline fxt::StringRef OpenRecord::Ref(fxr_category category) {
  return scope_.Refer(file_.Id(category));
}
template <typename R>
void OpenRecord::Write(const R& record) {
  file_.CountRefusal(scope_.Write(record));
}

}  // namespace translate
