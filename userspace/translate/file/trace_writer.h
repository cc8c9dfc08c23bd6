// SPDX-License-Identifier: BSD-2-Clause
// The file being written, as the translators see it: records go to its encoder, threads are named
// before they are mentioned, strings that come again and again cost two bytes. What this file was
// told of threads and processes is kept here, under their handles in the table of tasks; there may
// be other files of the same tasks, at the same time or one after the other.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "fxt/provider_writer.h"
#include "fxt/record.h"
#include "fxt_record/event.h"
#include "model/slab.h"
#include "model/task_table.h"
#include "model/tid_map.h"
#include "translate/file/file_thread.h"

namespace translate {

// Strings that the records of a capture are full of.
enum class CommonString : uint8_t {
  kCategoryRecorder,
  kWaker,
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
  kCommonStrings,  // how many there are
};
std::string_view TextOf(CommonString word);

class TraceWriter;

// One record while it is put together (fxt::RecordScope), with the strings of CommonString at hand.
class OpenRecord {
 public:
  fxt::StringRef Ref(CommonString word);
  fxt::StringRef Ref(fxr_category category);
  fxt::StringRef Refer(fxt::StringId id) { return scope_.Refer(id); }
  // For strings of which there are few: names of system calls, interrupts, cgroups.
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
  // Both outlive the file.
  TraceWriter(fxt::ProviderWriter& writer, model::TaskTable& tasks);
  ~TraceWriter() override;
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  // A record that mentions no thread from the table, or one, which is named in the file by then.
  OpenRecord Begin() { return OpenRecord(*this, writer_.Begin()); }
  OpenRecord Begin(model::ThreadHandle thread) {
    return OpenRecord(*this, writer_.Begin(Mention(thread)));
  }

  // What this file was told of a thread of the table. It stays where it is.
  FileThread& thread(model::ThreadHandle handle) { return threads_[handle]; }
  // The thread with this tid, if the file was told of it as it is now; else null. Two loads: most
  // events need nothing else.
  FileThread* FindAnnounced(uint32_t tid) const { return announced_.Get(tid); }
  // The same, or `idle` for tid 0, which every CPU has one of. No branch depends on which it is.
  FileThread* FindAnnounced(uint32_t tid, FileThread* const& idle) const {
    FileThread* const* place = announced_.Place(tid);
    return *(tid == 0 ? &idle : place);
  }

  // The thread as the tables know it; it and its process are named in the file by then.
  fxt::ThreadKey Mention(model::ThreadHandle handle) {
    const FileThread& thread = Announced(handle);
    return {handle, thread.process_koid, thread.koid};
  }
  // The same for records that name threads by koid.
  fxt::Koid KoidOf(model::ThreadHandle handle) { return Announced(handle).koid; }
  // Names the thread and its process, where that was not done yet.
  void Announce(model::ThreadHandle handle);

  fxt::StringId Id(CommonString word) const { return strings_[static_cast<size_t>(word)]; }
  // The category's name.
  fxt::StringId Id(fxr_category category) const { return categories_[category]; }
  fxt::StringId Declare(std::string_view text) { return writer_.Declare(text); }

  // What came of writing a record. That the sink failed, the sink tells when it is closed; that a
  // record did not fit the format is counted.
  void CountRefusal(fxt::EncodeStatus status) {
    if (status != fxt::EncodeStatus::kOk && status != fxt::EncodeStatus::kSinkFailed) [[unlikely]] {
      ++refused_records_;
    }
  }
  uint64_t refused_records() const { return refused_records_; }

  // Written so far, before any compression.
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
  // It is not found by its tid any more.
  void Hide(const FileThread& thread);
  // The handle stands for nobody, or its koid has changed: its place in the thread tables is no
  // longer its own.
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
  model::Slab<FileThread> threads_;                // by handle, as many as the table has handles
  model::TidMap<FileThread*, nullptr> announced_;  // those that the table finds by their tids
  std::vector<bool>
      announced_processes_;  // by handle: a kernel object with the present values is in it
  std::array<fxt::StringId, FXR_CATEGORY_COUNTS> categories_;
  std::array<fxt::StringId, static_cast<size_t>(CommonString::kCommonStrings)> strings_;
  uint64_t refused_records_ = 0;
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
