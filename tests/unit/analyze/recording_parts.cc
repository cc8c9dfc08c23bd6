// SPDX-License-Identifier: BSD-2-Clause
#include "unit/analyze/recording_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "schema/koid.h"
#include "unit/fxt/support/file_builder.h"

namespace analyze::testing {
namespace {

using fxt::Argument;
using fxt::EventType;
using fxt::KoidValue;
using fxt::StringRef;
using fxt::ThreadRef;
using fxt::ThreadState;

// Indexes of the string and thread tables of the sound recording.
enum StringIndex : uint16_t { kSched = 1, kRecorderText = 2, kProcessText = 3, kAppText = 4 };
enum ThreadIndex : uint8_t { kIdle0Thread = 1, kAppThread = 2, kWorkerThread = 3, kTrack = 4 };

constexpr uint64_t kSecond = 1'000'000'000;

fxt::KernelObject Process(fxt::Koid koid, std::string_view name) {
  return {static_cast<uint8_t>(fxt::KernelObjectType::kProcess), koid, StringRef::Inline(name), {}};
}

fxt::LegacyContextSwitch Switch(uint64_t time, uint8_t cpu, ThreadState state, ThreadRef outgoing,
                                uint8_t outgoing_priority, ThreadRef incoming,
                                uint8_t incoming_priority) {
  return {time, cpu, state, outgoing, incoming, outgoing_priority, incoming_priority};
}

fxt::Event Event(EventType type, uint64_t time, ThreadRef thread, StringRef category,
                 StringRef name, std::span<const Argument> arguments, uint64_t payload = 0) {
  return {type, time, thread, category, name, arguments, payload};
}

}  // namespace

std::vector<uint64_t> RecordingParts::Encode(const fxt::Record& record) {
  fxt::testing::FileBuilder file(fxt::testing::FileBuilder::kBare);
  file.Add(record);
  return file.words();
}

RecordingParts& RecordingParts::AddWords(std::string label, std::vector<uint64_t> words) {
  parts_.push_back({std::move(label), std::move(words)});
  return *this;
}

size_t RecordingParts::Find(const std::string& label) const {
  const auto found = std::find_if(parts_.begin(), parts_.end(),
                                  [&](const Part& part) { return part.label == label; });
  if (found == parts_.end()) throw std::out_of_range("no part " + label);
  return static_cast<size_t>(found - parts_.begin());
}

std::vector<uint64_t>& RecordingParts::At(const std::string& label) {
  return parts_[Find(label)].words;
}

RecordingParts& RecordingParts::Remove(const std::string& label) {
  parts_.erase(parts_.begin() + static_cast<long>(Find(label)));
  return *this;
}

RecordingParts& RecordingParts::Before(const std::string& label, std::string new_label,
                                       const fxt::Record& record) {
  parts_.insert(parts_.begin() + static_cast<long>(Find(label)),
                {std::move(new_label), Encode(record)});
  return *this;
}

RecordingParts& RecordingParts::After(const std::string& label, std::string new_label,
                                      const fxt::Record& record) {
  parts_.insert(parts_.begin() + static_cast<long>(Find(label)) + 1,
                {std::move(new_label), Encode(record)});
  return *this;
}

RecordingParts& RecordingParts::Replace(const std::string& label, const fxt::Record& record) {
  At(label) = Encode(record);
  return *this;
}

RecordingParts& RecordingParts::Swap(const std::string& a, const std::string& b) {
  std::swap(parts_[Find(a)], parts_[Find(b)]);
  return *this;
}

uint64_t RecordingParts::Offset(const std::string& label) const {
  uint64_t offset = 0;
  const size_t wanted = Find(label);
  for (size_t i = 0; i < wanted; ++i) offset += parts_[i].words.size() * sizeof(uint64_t);
  return offset;
}

std::string RecordingParts::LabelAt(uint64_t offset) const {
  uint64_t at = 0;
  for (const Part& part : parts_) {
    if (at == offset) return part.label;
    at += part.words.size() * sizeof(uint64_t);
  }
  return at == offset ? "end" : "";
}

std::span<const std::byte> RecordingParts::Bytes() {
  words_.clear();
  for (const Part& part : parts_) words_.insert(words_.end(), part.words.begin(), part.words.end());
  return std::as_bytes(std::span(words_));
}

RecordingParts RecordingParts::Sound() {
  RecordingParts file;
  const auto sched = StringRef::Indexed(kSched);
  const auto recorder = StringRef::Indexed(kRecorderText);
  const auto app_category = StringRef::Indexed(kAppText);
  const auto idle0 = ThreadRef::Indexed(kIdle0Thread);
  const auto app = ThreadRef::Indexed(kAppThread);
  const auto worker = ThreadRef::Indexed(kWorkerThread);
  const auto track = ThreadRef::Indexed(kTrack);
  const auto idle1 = ThreadRef::Inline(0, kIdle1);
  const auto thread_object = [&](const char* label, fxt::Koid koid, std::string_view name,
                                 fxt::Koid process) {
    const Argument argument{StringRef::Indexed(kProcessText), KoidValue{process}};
    file.Add(label, fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kThread),
                                      koid,
                                      StringRef::Inline(name),
                                      {&argument, 1}});
  };

  file.Add("magic", fxt::MagicNumber{});
  file.Add("info", fxt::ProviderInfo{1, "fxt-record"});
  file.Add("section", fxt::ProviderSection{1});
  file.Add("init", fxt::Initialization{kSecond});
  file.Add("string sched", fxt::StringRecord{kSched, "sched"});
  file.Add("string recorder", fxt::StringRecord{kRecorderText, "fxt-record"});
  file.Add("string process", fxt::StringRecord{kProcessText, "process"});
  file.Add("string app", fxt::StringRecord{kAppText, "app"});
  file.Add("recorder process", Process(schema::kRecorderProcessKoid, "fxt-record"));
  thread_object("recorder thread", schema::kRecorderProcessKoid, "recording",
                schema::kRecorderProcessKoid);
  file.Add("thread track",
           fxt::ThreadRecord{kTrack, schema::kRecorderProcessKoid, schema::kRecorderProcessKoid});
  const std::array session = {
      Argument{StringRef::Inline("kernel"), StringRef::Inline("6.1.0")},
      Argument{StringRef::Inline("cpus"), int32_t{2}},
      Argument{StringRef::Inline("filters"), StringRef::Empty()},
  };
  file.Add("session", Event(EventType::kInstant, kSecond, track, recorder,
                            StringRef::Inline("session"), session));

  file.Add("idle process", Process(0, "swapper"));
  thread_object("idle0", kIdle0, "swapper/0", 0);
  thread_object("idle1", kIdle1, "swapper/1", 0);
  file.Add("app process", Process(kApp, "app"));
  thread_object("app thread", kApp, "app", kApp);
  thread_object("worker thread", kWorker, "worker", kApp);
  file.Add("thread idle0", fxt::ThreadRecord{kIdle0Thread, 0, kIdle0});
  file.Add("thread app", fxt::ThreadRecord{kAppThread, kApp, kApp});
  file.Add("thread worker", fxt::ThreadRecord{kWorkerThread, kApp, kWorker});

  uint64_t time = kSecond + 1000;
  file.Add("switch to app", Switch(time, 0, ThreadState::kNew, idle0, 0, app, 120));
  const Argument waker{StringRef::Inline("waker"), KoidValue{kApp}};
  file.Add("wakeup worker", fxt::ThreadWakeup{time += 1000, 1, kWorker, {&waker, 1}});
  file.Add("switch to worker", Switch(time += 1000, 1, ThreadState::kNew, idle1, 0, worker, 100));
  file.Add("begin", Event(EventType::kDurationBegin, time += 1000, app, app_category,
                          StringRef::Inline("work"), {}));
  const Argument one{StringRef::Inline("n"), uint32_t{1}};
  time += 1000;
  file.Add("complete", Event(EventType::kDurationComplete, time, app, app_category,
                             StringRef::Inline("step"), {&one, 1}, time + 500));
  file.Add("async begin", Event(EventType::kAsyncBegin, time += 1000, app, app_category,
                                StringRef::Inline("request"), {}, 77));
  file.Add("flow begin", Event(EventType::kFlowBegin, time += 1000, app, app_category,
                               StringRef::Inline("arrow"), {}, 78));
  file.Add("flow end", Event(EventType::kFlowEnd, time += 1000, worker, app_category,
                             StringRef::Inline("arrow"), {}, 78));
  file.Add("async end", Event(EventType::kAsyncEnd, time += 1000, worker, app_category,
                              StringRef::Inline("request"), {}, 77));
  file.Add("end", Event(EventType::kDurationEnd, time += 1000, app, app_category,
                        StringRef::Inline("work"), {}));
  file.Add("counter", Event(EventType::kCounter, time += 1000, app, app_category,
                            StringRef::Inline("queue"), {&one, 1}, 5));
  file.Add("log", fxt::Log{time += 1000, app, "a message"});
  file.Add("log instant", Event(EventType::kInstant, time, app, StringRef::Inline("log"),
                                StringRef::Inline("a message"), {}));

  std::array<std::byte, 48> branches{};
  const auto put = [&](size_t offset, auto value) {
    std::memcpy(branches.data() + offset, &value, sizeof(value));
  };
  put(0, uint16_t{1});        // cpu
  put(2, uint16_t{1});        // branches
  put(8, time);               // time
  put(16, uint64_t{kApp});    // address space
  put(24, uint64_t{0x1000});  // from
  put(32, uint64_t{0x2000});  // to
  put(40, uint64_t{7});       // info
  file.Add("branches", fxt::Blob{StringRef::Inline("cpu1"),
                                 static_cast<uint8_t>(fxt::BlobType::kLastBranch), branches});

  const Argument state{StringRef::Inline("state"), StringRef::Inline("D")};
  file.Add("state", Event(EventType::kInstant, time += 1000, worker, sched,
                          StringRef::Inline("linux_state"), {&state, 1}));
  file.Add("switch from worker", Switch(time, 1, ThreadState::kBlocked, worker, 100, idle1, 0));
  file.Add("filled up", fxt::ProviderEvent{1, fxt::kProviderEventBufferFilledUp});
  const std::array lost = {Argument{StringRef::Inline("cpu"), int32_t{0}},
                           Argument{StringRef::Inline("count"), uint64_t{12}},
                           Argument{StringRef::Inline("category"), sched}};
  file.Add("lost", Event(EventType::kInstant, time += 1000, track, recorder,
                         StringRef::Inline("lost_events"), lost));
  const Argument total{StringRef::Inline("sched"), uint64_t{12}};
  file.Add("lost counter", Event(EventType::kCounter, time, track, recorder,
                                 StringRef::Inline("lost_events"), {&total, 1}, 0));
  // On CPU 0 the thread that leaves is not the one that came: the loss covers it.
  file.Add("switch after loss",
           Switch(time += 1000, 0, ThreadState::kBlocked, worker, 100, idle0, 0));
  const Argument cpu{StringRef::Inline("cpu"), int32_t{0}};
  file.Add("unseen", Event(EventType::kInstant, time += 1000, app, recorder,
                           StringRef::Inline("unseen_switch"), {&cpu, 1}));
  file.Add("switch unseen before", Switch(time, 0, ThreadState::kNew, app, 120, worker, 100));
  file.Add("last switch", Switch(time += 1000, 0, ThreadState::kBlocked, worker, 100, idle0, 0));
  return file;
}

RecordingParts RecordingParts::Long(size_t switches) {
  RecordingParts file = Sound();
  const auto app = fxt::ThreadRef::Indexed(2);
  const auto idle = fxt::ThreadRef::Indexed(1);
  for (size_t i = 0; i < switches; ++i) {
    const uint64_t time = 1'000'020'000 + i * 1000;
    file.Add("switch " + std::to_string(i),
             i % 2 == 0 ? Switch(time, 0, ThreadState::kNew, idle, 0, app, 120)
                        : Switch(time, 0, ThreadState::kBlocked, app, 120, idle, 0));
  }
  return file;
}

}  // namespace analyze::testing
