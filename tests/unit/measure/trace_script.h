// SPDX-License-Identifier: BSD-2-Clause
// Traces by short calls, and what stands for them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/reader.h"
#include "measure/collect/collector.h"
#include "schema/koid.h"
#include "unit/fxt/support/file_builder.h"

namespace measure::testing {

// As fxt-record writes them. Thread 0 is the idle thread of a CPU; a thread's process is set by
// Name or Thread, or else has the thread's koid.
class TraceScript {
 public:
  // Threads and wakers' names inline, or by index as a recorder writes them, which are plain.
  enum References { kInline, kIndexed };
  explicit TraceScript(References references = kInline) : references_(references) {
    file_.Add(fxt::ProviderInfo{1, schema::kRecorderName});
    file_.Add(fxt::ProviderSection{1});
    file_.Add(fxt::Initialization{1'000'000'000});
    if (references == kIndexed) file_.Add(fxt::StringRecord{1, "waker"});
  }

  TraceScript& Process(fxt::Koid koid, std::string_view name, int64_t parent = 0) {
    const fxt::Argument ppid{Text("ppid"), parent};
    return Object(fxt::KernelObjectType::kProcess, koid, name, ppid);
  }
  TraceScript& Thread(fxt::Koid koid, std::string_view name, fxt::Koid process) {
    process_of_[koid] = process;
    const fxt::Argument of{Text("process"), fxt::KoidValue{process}};
    return Object(fxt::KernelObjectType::kThread, koid, name, of);
  }
  // A process of one thread.
  TraceScript& Name(fxt::Koid koid, std::string_view name, int64_t parent = 0) {
    return Process(koid, name, parent).Thread(koid, name, koid);
  }
  TraceScript& Session(uint64_t time, std::vector<fxt::Argument> arguments = {}) {
    return Instant(time, schema::RecorderKoid(), schema::kRecorderName, "session", arguments);
  }
  static fxt::Argument Command(int32_t pid) { return {Text("command_pid"), pid}; }

  // `state` as the letters of the kernel.
  TraceScript& Switch(uint64_t time, uint32_t cpu, fxt::Koid outgoing, std::string_view state,
                      fxt::Koid incoming, uint8_t outgoing_priority = 120,
                      uint8_t incoming_priority = 120) {
    auto format = fxt::ThreadState::kBlocked;
    if (state.starts_with("R")) format = fxt::ThreadState::kNew;
    if (state == "T") format = fxt::ThreadState::kSuspended;
    if (state == "X") format = fxt::ThreadState::kDead;
    if (state == "D" || state == "S" || state == "Rq") {
      const fxt::Argument letters{Text("state"), Text(state)};
      Instant(time, outgoing, "sched", "linux_state", {letters});
    }
    file_.Add(fxt::LegacyContextSwitch{
        .timestamp = time,
        .cpu = static_cast<uint8_t>(cpu),
        .outgoing_state = format,
        .outgoing = Ref(outgoing, cpu),
        .incoming = Ref(incoming, cpu),
        .outgoing_priority = outgoing == 0 ? uint8_t{0} : outgoing_priority,
        .incoming_priority = incoming == 0 ? uint8_t{0} : incoming_priority});
    return *this;
  }
  // `waker` 0: an interrupt.
  TraceScript& Wake(uint64_t time, fxt::Koid thread, fxt::Koid waker = 0, uint16_t cpu = 0) {
    const bool indexed = references_ == kIndexed;
    const fxt::Argument by{indexed ? fxt::StringRef::Indexed(1, "waker") : Text("waker"),
                           fxt::KoidValue{waker}};
    file_.Add(fxt::ThreadWakeup{time, cpu, thread, {&by, waker == 0 ? size_t{0} : size_t{1}}});
    return *this;
  }
  TraceScript& Fork(uint64_t time, fxt::Koid maker, fxt::Koid child) {
    return Instant(time, maker, "task", "fork", {{Text("child"), fxt::KoidValue{child}}});
  }
  TraceScript& Exec(uint64_t time, fxt::Koid thread) {
    return Instant(time, thread, "task", "exec", {});
  }
  TraceScript& Exit(uint64_t time, fxt::Koid thread) {
    return Instant(time, thread, "task", "exit", {});
  }
  TraceScript& Migrate(uint64_t time, fxt::Koid thread, int32_t from, int32_t to) {
    return Instant(time, thread, "sched", "migrate", {{Text("from"), from}, {Text("to"), to}});
  }
  // A thread that comes to a CPU at `time`.
  TraceScript& Throttled(uint64_t time, fxt::Koid thread, uint64_t since, uint64_t until,
                         std::string_view cgroup) {
    return Instant(time, thread, "sched", "throttled",
                   {{Text("since"), since},
                    {Text("until"), until},
                    {Text("cgroup"), Text(cgroup)},
                    {Text("quota"), uint64_t{30}},
                    {Text("period"), uint64_t{100}}});
  }
  TraceScript& Loss(uint64_t time, int32_t cpu, uint64_t count) {
    return Instant(time, schema::RecorderKoid(), schema::kRecorderName, "lost_events",
                   {{Text("cpu"), cpu}, {Text("count"), count}, {Text("category"), Text("sched")}});
  }
  TraceScript& Unseen(uint64_t time, int32_t cpu) {
    return Instant(time, schema::RecorderKoid(), schema::kRecorderName, "unseen_switch",
                   {{Text("cpu"), cpu}});
  }
  TraceScript& Span(uint64_t begin, uint64_t end, fxt::Koid track, std::string_view category,
                    std::string_view name) {
    return Begin(begin, track, category, name).End(end, track, category, name);
  }
  TraceScript& Begin(uint64_t time, fxt::Koid track, std::string_view category,
                     std::string_view name) {
    return Event(fxt::EventType::kDurationBegin, time, track, category, name, {});
  }
  TraceScript& End(uint64_t time, fxt::Koid track, std::string_view category,
                   std::string_view name) {
    return Event(fxt::EventType::kDurationEnd, time, track, category, name, {});
  }

  TraceScript& Instant(uint64_t time, fxt::Koid thread, std::string_view category,
                       std::string_view name, const std::vector<fxt::Argument>& arguments) {
    return Event(fxt::EventType::kInstant, time, thread, category, name, arguments);
  }

  template <typename Record>
  TraceScript& Add(const Record& record) {
    file_.Add(record);
    return *this;
  }
  std::span<const std::byte> bytes() { return file_.bytes(); }

  Capture Collect(const CollectorOptions& options = {}) {
    fxt::MemorySource source(file_.bytes());
    fxt::Reader reader(source);
    Collector collector(options);
    while (reader.Next() == fxt::ReadStatus::kRecord) collector.Add(reader);
    return collector.Finish();
  }
  // The same by AddFastPath(), where it takes anything.
  Capture CollectFastPath(const CollectorOptions& options = {}, uint64_t* taken = nullptr) {
    fxt::MemorySource source(file_.bytes());
    fxt::Reader reader(source);
    Collector collector(options);
    do {
      if (reader.status() == fxt::ReadStatus::kRecord) collector.Add(reader);
      const uint64_t plain = collector.AddFastPath(reader, 10);
      if (taken != nullptr) *taken += plain;
    } while (reader.Next() == fxt::ReadStatus::kRecord);
    return collector.Finish();
  }

  static fxt::StringRef Text(std::string_view text) { return fxt::StringRef::Inline(text); }

 private:
  fxt::ThreadRef Ref(fxt::Koid thread, uint32_t cpu) {
    const fxt::Koid koid = thread == 0 ? schema::IdleKoid(cpu) : thread;
    const auto named = process_of_.find(thread);
    const fxt::Koid process = named == process_of_.end() ? thread : named->second;
    if (references_ == kInline || indexes_.size() == 255) {
      return fxt::ThreadRef::Inline(process, koid);
    }
    const auto [at, fresh] = indexes_.try_emplace(koid, static_cast<uint8_t>(indexes_.size() + 1));
    if (fresh) file_.Add(fxt::ThreadRecord{at->second, process, koid});
    return fxt::ThreadRef::Indexed(at->second, process, koid);
  }
  TraceScript& Object(fxt::KernelObjectType type, fxt::Koid koid, std::string_view name,
                      const fxt::Argument& argument) {
    file_.Add(fxt::KernelObject{static_cast<uint8_t>(type), koid, Text(name), {&argument, 1}});
    return *this;
  }
  TraceScript& Event(fxt::EventType type, uint64_t time, fxt::Koid thread,
                     std::string_view category, std::string_view name,
                     const std::vector<fxt::Argument>& arguments) {
    file_.Add(fxt::Event{.type = type,
                         .timestamp = time,
                         .thread = fxt::ThreadRef::Inline(thread, thread),
                         .category = Text(category),
                         .name = Text(name),
                         .arguments = arguments});
    return *this;
  }

  References references_;
  std::map<fxt::Koid, uint8_t> indexes_;
  std::map<fxt::Koid, fxt::Koid> process_of_;  // by thread
  fxt::testing::FileBuilder file_;
};

// The group of that process and thread name; null when there is none.
inline const Group* Find(const Capture& capture, std::string_view process,
                         std::string_view thread) {
  for (const Group& group : capture.groups) {
    if (group.name.process == process && group.name.thread == thread) return &group;
  }
  return nullptr;
}
inline const Group* Find(const Capture& capture, std::string_view name) {
  return Find(capture, name, name);
}
// The time that `group` attributes to the group of that name, or nothing.
inline Blame BlameOn(const Capture& capture, const Group& group, Attribution why,
                     std::string_view name) {
  for (const auto& [other, blame] : group.of(why)) {
    if (other < capture.groups.size() && capture.groups[other].name.thread == name) return blame;
  }
  return {};
}
inline Blame BlameOn(const Group& group, Attribution why, uint32_t number) {
  const auto found = group.of(why).find(number);
  return found == group.of(why).end() ? Blame{} : found->second;
}

}  // namespace measure::testing
