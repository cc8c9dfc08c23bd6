// SPDX-License-Identifier: BSD-2-Clause
// Assigns koids to the processes and threads of a JSON file.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fxt/format.h"
#include "fxt/hash_factor.h"
#include "fxt/id_map.h"
#include "import/json/trace_event.h"

namespace importer {

// A koid equals the number in the file if that is a valid tid and not used yet. Threads of
// different processes often share a number, but a koid must identify one thread. The others get a
// new koid with the number in the low bits (schema/koid.h).
class JsonTasks {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  // Limit of processes and threads together. Further ones share the thread "(other threads)".
  static constexpr size_t kMaxTasks = 200'000;
  static constexpr size_t kMaxNameBytes = 1000;
  static constexpr size_t kMaxNames = size_t{4} << 20;  // bytes of all names

  // Arguments of metadata events that the importer does not interpret, as JSON, by event name.
  using Metadata = std::map<std::string, std::string, std::less<>>;
  static constexpr size_t kMaxMetadata = 8;
  static constexpr size_t kMaxMetadataBytes = 2000;

  struct Process {
    int64_t pid = 0;
    std::string name = {};
    std::string labels = {};
    std::optional<int64_t> sort_index = {};
    std::string text = {};  // the file's text if it has no number
    Metadata metadata = {};
    fxt::Koid koid = 0;
  };
  struct Thread {
    uint32_t process = kNone;
    int64_t tid = 0;
    std::string name = {};
    std::optional<int64_t> sort_index = {};
    std::string text = {};
    Metadata metadata = {};
    fxt::Koid koid = 0;
    uint32_t same_as = kNone;  // for threads of ftrace: the same thread of the events
  };

  JsonTasks();

  // Indexes of tasks, valid for the lifetime of this object.
  uint32_t ProcessOf(const JsonValue& pid);
  uint32_t ThreadOf(const JsonValue& pid, const JsonValue& tid);
  // Finds or adds a thread by its tid, as in ftrace and samples. `pid`: its process, if known.
  // `name` is used if the thread has no name.
  uint32_t ThreadOfKernel(int64_t tid, std::optional<int64_t> pid, std::string_view name);

  // The last name is kept.
  void NameProcess(uint32_t process, std::string_view name) { Set(process_(process).name, name); }
  void LabelProcess(uint32_t process, std::string_view labels) {
    Set(process_(process).labels, labels);
  }
  void NameThread(uint32_t thread, std::string_view name) { Set(threads_[thread].name, name); }
  void SortProcess(uint32_t process, int64_t index) { process_(process).sort_index = index; }
  void SortThread(uint32_t thread, int64_t index) { threads_[thread].sort_index = index; }

  // Keeps the arguments of a metadata event; false beyond the limits.
  bool AddProcessMetadata(uint32_t process, std::string_view name, std::string_view json) {
    return Add(process_(process).metadata, name, json);
  }
  bool AddThreadMetadata(uint32_t thread, std::string_view name, std::string_view json) {
    return Add(threads_[thread].metadata, name, json);
  }

  // Assigns koids. Call after the last thread was added.
  void Assign();

  // The index of the thread that `thread` is the same as. Call after Assign().
  uint32_t Resolve(uint32_t thread) const {
    return threads_[thread].same_as == kNone ? thread : threads_[thread].same_as;
  }
  const Process& process(uint32_t number) const { return processes_[number]; }
  const Thread& thread(uint32_t number) const { return threads_[number]; }
  const std::vector<Thread>& threads() const { return threads_; }
  const std::vector<Process>& processes() const { return processes_; }
  uint64_t overflowed() const { return overflowed_; }  // mentions of tasks beyond the limit

 private:
  struct HashPair {
    size_t operator()(const std::pair<uint32_t, int64_t>& key) const {
      return fxt::HashOf(key.first, key.second);
    }
  };
  Process& process_(uint32_t number) { return processes_[number]; }
  void Set(std::string& name, std::string_view text);
  bool Add(Metadata& metadata, std::string_view name, std::string_view json);
  int64_t NumberOf(const JsonValue& value, std::string_view* text) const;
  bool Full();

  std::vector<Process> processes_;
  std::vector<Thread> threads_;
  fxt::IdMap<uint32_t> process_by_pid_;
  std::unordered_map<std::pair<uint32_t, int64_t>, uint32_t, HashPair> thread_by_tid_;
  std::map<int64_t, uint32_t> kernel_threads_;
  std::unordered_map<uint32_t, int64_t> kernel_processes_;  // pid by thread
  // A cache of ThreadOf(), by RecentOf().
  struct Recent {
    int64_t pid = 0;
    int64_t tid = 0;
    uint32_t thread = kNone;
  };
  static size_t RecentOf(int64_t pid, int64_t tid) {
    return (static_cast<uint64_t>(pid) * 31 + static_cast<uint64_t>(tid)) % kRecent;
  }
  static constexpr size_t kRecent = 256;
  std::array<Recent, kRecent> recent_;
  size_t name_bytes_ = 0;
  uint64_t overflowed_ = 0;
};

}  // namespace importer
