// SPDX-License-Identifier: BSD-2-Clause
// Keeps the threads and processes of a trace: their numbers and the names they have now.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/kernel_sections.h"
#include "facts/koid_index.h"
#include "facts/text_pool.h"
#include "fxt/reader.h"
#include "fxt/record.h"
#include "schema/koid.h"

namespace facts {

// The last record of a koid counts; one of a section that does not have the kernel's facts counts
// until the kernel names the thread or process. Memory: about 250 bytes for each of at most 2^20
// threads and as many processes, and what TextPool holds. Further ones have no names.
class TaskNames {
 public:
  static constexpr size_t kMaxTasks = size_t{1} << 20;
  static constexpr size_t kMaxBytes = size_t{352} << 20;

  struct Seen {
    uint64_t first = UINT64_MAX;  // ns; above `last` if it never was
    uint64_t last = 0;
    void Note(uint64_t time) {
      if (time < first) first = time;
      if (time > last) last = time;
    }
  };
  struct Process {
    fxt::Koid koid = 0;
    const std::string* name = nullptr;
    const std::string* cgroup = nullptr;
    const std::string* command_line = nullptr;
    std::optional<int64_t> parent = std::nullopt;
    std::optional<int64_t> user = std::nullopt;
    bool has_record = false;
    bool is_kernels = false;  // the record is the kernel's
    Seen seen = {};
  };
  struct Thread {
    fxt::Koid koid = 0;
    const std::string* name = nullptr;
    bool has_record = false;
    bool is_kernels = false;  // the record is the kernel's
    bool idle = false;
    std::optional<fxt::Koid> process = std::nullopt;  // by its own record
    // By its first thread record, and by its first event.
    std::optional<fxt::Koid> indexed_process = std::nullopt;
    std::optional<fxt::Koid> seen_process = std::nullopt;
    Seen seen = {};
    // The index of its process, as of that version; kNone: none.
    uint32_t process_place = KoidIndex::kNone;
    uint64_t process_version = UINT64_MAX;
    // When NoteAgain() saw it last, which its process has not noted; 0: it has.
    uint64_t owed_to_process = 0;
  };

  // Keeps names as they are in the file, any bytes, and nothing else of a process. Takes no more
  // than `max_bytes`.
  TaskNames() : TaskNames(kMaxBytes) {}
  explicit TaskNames(size_t max_bytes) : TaskNames(std::make_unique<Own>(max_bytes)) {}
  // `texts` must outlive it, and has the names. `shared`: its tables count there, too; may be null.
  explicit TaskNames(TextPool& texts, fxt::TableBudget* shared = nullptr)
      : texts_(texts),
        thread_index_(kMaxTasks, shared, 2 * sizeof(Thread)),
        process_index_(kMaxTasks, shared, 2 * sizeof(Process)) {}

  // Kernel objects alone. True if `record` is one of a thread or process.
  bool Note(const fxt::Record& record, bool is_kernels = true);
  // Every record, in file order: providers, kernel objects, indexes of threads.
  void Note(const fxt::Reader& reader) {
    is_kernels_ = sections_.Has(reader);
    const fxt::Record& record = reader.record();
    if (std::holds_alternative<fxt::KernelObject>(record)) {
      Note(record, is_kernels_);
    } else if (std::holds_alternative<fxt::ProviderInfo>(record)) {
      ++version_;
      NoteProvider(reader.provider().name());
    } else if (const auto* index = std::get_if<fxt::ThreadRecord>(&record)) {
      ++version_;
      Thread* thread = ThreadOf(index->thread);
      if (thread != nullptr && !thread->indexed_process) thread->indexed_process = index->process;
    }
  }
  // A thread occurs in a record. `process` is that of a switch or event; threads() and processes()
  // use it until a record of the thread itself names its process.
  // Returns its index in threads(); kNone: there is no room.
  uint32_t NoteThread(fxt::Koid koid, const std::optional<fxt::Koid>& process, uint64_t time,
                      bool idle);
  // The same for a thread with a known index. False if its process matters: call NoteThread()
  // instead.
  bool NoteAgain(uint32_t place, uint64_t time, bool idle) {
    if (place >= threads_.size()) return false;
    Thread& thread = threads_[place];
    const bool is_same =
        idle ? thread.idle : thread.seen_process.has_value() && thread.process_version == version_;
    if (!is_same || time < thread.seen.last) return false;
    thread.seen.last = time;
    if (!idle) thread.owed_to_process = time;
    return true;
  }
  // Behind the last NoteAgain().
  void FinishTimes() {
    for (Thread& thread : threads_) FinishTime(thread);
  }

  // As Linux has it. Recordings of fxt-record carry the number in the koid, and have threads that
  // are none of Linux, which have no number; of other programs it is the koid.
  std::optional<uint64_t> NumberOf(fxt::Koid koid) const {
    if (!ours_ || koid > schema::kMaxKoid) return koid;
    if (schema::GenerationOfKoid(koid) >= schema::kFirstPseudoGeneration) return std::nullopt;
    return schema::TidOfKoid(koid);
  }
  // Null when no record named it.
  const Thread* thread(fxt::Koid koid) const {
    const Thread* found = FindThread(koid);
    return found != nullptr && found->has_record ? found : nullptr;
  }
  const Process* process(fxt::Koid koid) const {
    const uint32_t index = process_index_.Find(koid);
    return index != KoidIndex::kNone && processes_[index].has_record ? &processes_[index] : nullptr;
  }
  // Null when nothing named it.
  const std::string* ThreadName(fxt::Koid koid) const {
    const Thread* found = FindThread(koid);
    return found == nullptr ? nullptr : found->name;
  }
  const std::string* ProcessName(const std::optional<fxt::Koid>& koid) const;
  // The same; "" when nothing named it.
  const std::string& thread_name(fxt::Koid koid) const { return OrEmpty(ThreadName(koid)); }
  const std::string& process_name(fxt::Koid koid) const { return OrEmpty(ProcessName(koid)); }
  // The process by the thread's own record, otherwise `process`, otherwise that of its thread
  // record. The same whatever else is asked of the trace.
  std::optional<fxt::Koid> ProcessOf(fxt::Koid thread,
                                     const std::optional<fxt::Koid>& process) const;
  static std::optional<fxt::Koid> ProcessOf(const Thread& thread) {
    if (thread.process) return thread.process;
    return thread.seen_process ? thread.seen_process : thread.indexed_process;
  }

  // Restores a thread from a file of saved names instead of records. A null name: it has none.
  void RestoreThread(fxt::Koid koid, const std::string* name,
                     const std::optional<fxt::Koid>& process);
  void RestoreProcess(fxt::Koid koid, const std::string* name);
  // Whether a section is fxt-record's.
  void RestoreOurs(bool has_ours) { ours_ = has_ours; }
  bool has_ours() const { return ours_; }

  // Differs if numbers, names or processes of threads may.
  uint64_t version() const { return version_; }
  // Whether the record that was noted last may be the kernel's.
  bool is_kernels() const { return is_kernels_; }
  // `text` in the pool; null when there is no room for it.
  const std::string* Text(std::string_view text) { return texts_.Add(text); }

  // A thread, a process or a text found no room.
  bool is_full() const {
    return thread_index_.is_full() || process_index_.is_full() || texts_.is_full();
  }
  // Whether all of it is fxt-record's, whose records are in the order of time.
  bool ours() const { return ours_ && !others_; }
  // Counts processes with a record.
  size_t CountProcesses() const;
  // Threads without a record and without a time have only an index.
  const std::vector<Thread>& threads() const { return threads_; }
  const std::vector<Process>& processes() const { return processes_; }

 private:
  struct Own {
    explicit Own(size_t max_bytes) : budget{.limit = max_bytes}, texts(max_bytes, &budget) {}
    fxt::TableBudget budget;
    TextPool texts;
  };
  explicit TaskNames(std::unique_ptr<Own> own) : TaskNames(own->texts, &own->budget) {
    own_ = std::move(own);
  }

  void FinishTime(Thread& thread) {
    if (thread.owed_to_process == 0) return;
    if (thread.process_place != KoidIndex::kNone) {
      processes_[thread.process_place].seen.Note(thread.owed_to_process);
    }
    thread.owed_to_process = 0;
  }
  void NoteProvider(std::string_view name);
  void AddThread(const fxt::KernelObject& object, bool is_kernels);
  void AddProcess(const fxt::KernelObject& object, bool is_kernels);
  static const std::string& OrEmpty(const std::string* name);
  const Thread* FindThread(fxt::Koid koid) const {
    const uint32_t index = thread_index_.Find(koid);
    return index == KoidIndex::kNone ? nullptr : &threads_[index];
  }
  Thread* ThreadOf(fxt::Koid koid);
  Process* ProcessAt(fxt::Koid koid);

  std::unique_ptr<Own> own_;  // outlives the tables
  KernelSections sections_;
  uint64_t version_ = 0;
  bool is_kernels_ = false;
  bool ours_ = false;
  bool others_ = false;
  TextPool& texts_;
  KoidIndex thread_index_;
  KoidIndex process_index_;
  std::vector<Thread> threads_;
  std::vector<Process> processes_;
};

}  // namespace facts
