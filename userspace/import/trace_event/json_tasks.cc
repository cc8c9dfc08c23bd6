// SPDX-License-Identifier: BSD-2-Clause
#include "import/trace_event/json_tasks.h"

#include <charconv>
#include <functional>

#include "fxt/utf8.h"
#include "schema/koid.h"

namespace importer {
namespace {

constexpr uint32_t kOthers = 0;  // process and thread of all tasks beyond the limit

// Assigns a unique koid to each number.
class Koids {
 public:
  fxt::Koid Take(int64_t number) {
    if (number >= 0 && number <= schema::kTidMask && first_.insert(number).second) {
      return static_cast<fxt::Koid>(number);
    }
    auto low = static_cast<uint32_t>(number) & schema::kTidMask;
    // If all generations of the number are used, takes those of an unused number.
    if (generations_[low] >= schema::kMaxGeneration) low = spare_;
    while (generations_[low] >= schema::kMaxGeneration) low = --spare_;
    return schema::MakeKoid(low, ++generations_[low]);
  }

 private:
  fxt::IdSet first_;
  std::unordered_map<uint32_t, uint32_t> generations_;  // the last one assigned
  uint32_t spare_ = schema::kTidMask;
};

}  // namespace

JsonTasks::JsonTasks() {
  // No number of the file maps to it.
  processes_.push_back({.pid = -1, .text = "(others)"});
  threads_.push_back({.process = kOthers, .tid = -1, .text = "(others)"});
}

void JsonTasks::Set(std::string& name, std::string_view text) {
  text = fxt::CutUtf8(text, kMaxNameBytes);
  if (text == name || text.size() > kMaxNames - name_bytes_) return;
  name_bytes_ += text.size();
  name = fxt::ToValidUtf8(text);
}

bool JsonTasks::Add(Metadata& metadata, std::string_view name, std::string_view json) {
  const auto found = metadata.find(name);
  if (found == metadata.end() && metadata.size() == kMaxMetadata) return false;
  const size_t bytes = name.size() + json.size();
  if (name.size() > kMaxNameBytes || json.size() > kMaxMetadataBytes) return false;
  if (bytes > kMaxNames - name_bytes_) return false;
  name_bytes_ += bytes;
  metadata[fxt::ToValidUtf8(name)] = fxt::ToValidUtf8(json);
  return true;
}

int64_t JsonTasks::NumberOf(const JsonValue& value, std::string_view* text) const {
  if (const auto* number = std::get_if<int64_t>(&value)) return *number;
  if (const auto* number = std::get_if<uint64_t>(&value)) return static_cast<int64_t>(*number);
  if (const auto* number = std::get_if<double>(&value)) {
    return *number > -9e18 && *number < 9e18 ? static_cast<int64_t>(*number) : 0;
  }
  const auto* name = std::get_if<std::string_view>(&value);
  if (name == nullptr) return 0;
  int64_t number = 0;
  const char* const end = name->data() + name->size();
  const auto [stop, error] = std::from_chars(name->data(), end, number);
  if (error == std::errc() && stop == end) return number;
  *text = *name;
  // A hash as a negative number below -2^50, which no pid or tid of the file equals.
  constexpr uint64_t kBits = uint64_t{1} << 50;
  return -static_cast<int64_t>(kBits | (std::hash<std::string_view>{}(*name) & (kBits - 1)));
}

bool JsonTasks::Full() {
  if (processes_.size() + threads_.size() < kMaxTasks) return false;
  ++overflowed_;
  return true;
}

uint32_t JsonTasks::ProcessOf(const JsonValue& pid) {
  std::string_view text;
  const int64_t number = NumberOf(pid, &text);
  const auto found = process_by_pid_.find(number);
  if (found != process_by_pid_.end()) return found->second;
  if (Full()) return kOthers;
  const auto process = static_cast<uint32_t>(processes_.size());
  processes_.push_back({.pid = number});
  Set(processes_.back().text, text);
  process_by_pid_.emplace(number, process);
  return process;
}

uint32_t JsonTasks::ThreadOf(const JsonValue& pid, const JsonValue& tid) {
  std::string_view pid_text, text;
  const int64_t pid_number = NumberOf(pid, &pid_text);
  const int64_t number = NumberOf(tid, &text);
  Recent& recent = recent_[RecentOf(pid_number, number)];
  if (recent.thread != kNone && pid_number == recent.pid && number == recent.tid) {
    return recent.thread;
  }
  const uint32_t process = ProcessOf(pid);
  if (process == kOthers) return kOthers;
  uint32_t thread = kOthers;
  const auto found = thread_by_tid_.find({process, number});
  if (found != thread_by_tid_.end()) {
    thread = found->second;
  } else if (!Full()) {
    thread = static_cast<uint32_t>(threads_.size());
    threads_.push_back({.process = process, .tid = number});
    Set(threads_.back().text, text);
    thread_by_tid_.emplace(std::pair(process, number), thread);
  } else {
    return kOthers;
  }
  recent = {pid_number, number, thread};
  return thread;
}

uint32_t JsonTasks::ThreadOfKernel(int64_t tid, std::optional<int64_t> pid, std::string_view name) {
  uint32_t thread = kOthers;
  const auto found = kernel_threads_.find(tid);
  if (found != kernel_threads_.end()) {
    thread = found->second;
  } else {
    if (Full()) return kOthers;
    thread = static_cast<uint32_t>(threads_.size());
    threads_.push_back({.process = kNone, .tid = tid});
    kernel_threads_.emplace(tid, thread);
  }
  if (pid) kernel_processes_[thread] = *pid;
  if (!name.empty()) Set(threads_[thread].name, name);
  return thread;
}

void JsonTasks::Assign() {
  // Maps a tid of the kernel to the thread of the events with that tid, if there is only one.
  fxt::IdMap<uint32_t> by_tid;
  for (const auto& [key, thread] : thread_by_tid_) {
    const auto [entry, fresh] = by_tid.emplace(key.second, thread);
    if (!fresh) entry->second = kNone;
  }
  for (const auto& [tid, number] : kernel_threads_) {
    const auto pid = kernel_processes_.find(number);
    const auto same = by_tid.find(tid);
    uint32_t meant = same == by_tid.end() ? kNone : same->second;
    if (pid != kernel_processes_.end()) {
      const uint32_t process = ProcessOf(pid->second);
      const auto known = thread_by_tid_.find({process, tid});
      meant = known == thread_by_tid_.end() ? kNone : known->second;
      threads_[number].process = process;
    } else if (meant == kNone) {
      threads_[number].process = ProcessOf(tid);
    }
    if (meant == kNone) continue;
    threads_[number].same_as = meant;
    if (threads_[meant].name.empty()) threads_[meant].name = threads_[number].name;
  }
  Koids process_koids, thread_koids;
  for (Process& process : processes_) process.koid = process_koids.Take(process.pid);
  for (Thread& thread : threads_) {
    if (thread.same_as == kNone) thread.koid = thread_koids.Take(thread.tid);
  }
  for (const auto& [tid, number] : kernel_threads_) {
    // The kernel names a process after its first thread.
    const Thread& thread = threads_[number];
    if (thread.same_as != kNone) continue;
    Process& process = processes_[thread.process];
    if (process.pid == tid && process.name.empty()) process.name = thread.name;
  }
}

}  // namespace importer
