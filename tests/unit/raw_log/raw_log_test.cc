// SPDX-License-Identifier: BSD-2-Clause
// What a handler gets is kept and taken up again: the same file comes of it.
#include "raw_log/raw_log_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "capture/event_handler.h"
#include "fxt/archive_writer.h"
#include "fxt/byte_source.h"
#include "fxt/provider_writer.h"
#include "fxt_record/slot_body.h"
#include "model/task_tracker.h"
#include "raw_log/raw_log_writer.h"
#include "raw_log/replayed_identities.h"
#include "sink/memory_sink.h"
#include "translate/translator.h"
#include "unit/capture/rings/side_producer.h"
#include "unit/capture/rings/slot_producer.h"
#include "unit/translate/capture_script.h"

namespace raw_log {
namespace {

using Bytes = std::vector<std::byte>;

// Events to a file in memory.
class Output {
 public:
  explicit Output(model::IdentitySource& identities)
      : archive_(sink_), writer_(archive_, "test"), tasks_(identities, true) {
    translator_.emplace(writer_, tasks_,
                        translate::TranslatorOptions{
                            .record_task_events = true, .filtered = false, .branches = true});
    translate::SessionInfo info;
    info.version = "1";
    translator_->set_session_info(info);
  }
  translate::Translator& translator() { return *translator_; }
  Bytes Finish() {
    EXPECT_TRUE(archive_.Flush());
    return {sink_.bytes().begin(), sink_.bytes().end()};
  }

 private:
  sink::MemorySink sink_;
  fxt::ArchiveWriter archive_;
  fxt::ProviderWriter writer_;
  model::TaskTracker tasks_;
  std::optional<translate::Translator> translator_;
};

class SideEvents final : public capture::OtherEvents {
 public:
  SideEvents(capture::SideRing& ring, capture::EventHandler& handler)
      : ring_(ring), handler_(handler) {}
  uint64_t NextTime() const override { return ring_.Front() ? ring_.Front()->time : UINT64_MAX; }
  void DeliverUpTo(uint64_t time) override {
    for (; ring_.Front() && ring_.Front()->time <= time; ring_.Pop()) {
      handler_.OnSideEvent(*ring_.Front());
    }
  }

 private:
  capture::SideRing& ring_;
  capture::EventHandler& handler_;
};

// The knowledge of a machine that changes between two questions.
class ChangingIdentities final : public model::IdentitySource {
 public:
  model::ProcessText TextOf(uint32_t tgid) override {
    return {"exe" + std::to_string(tgid), {"/bin/exe --turn " + std::to_string(++asked_), 0}};
  }
  std::optional<fxr_task> LookUp(uint32_t tid) override {
    if (tid % 2 == 0) return std::nullopt;
    fxr_task task{};
    task.tid = task.tgid = tid;
    task.start_time = ++asked_;
    std::to_string(asked_).copy(task.comm, sizeof(task.comm) - 1);
    return task;
  }
  std::string CgroupPath(uint64_t id) override {
    return "/" + std::to_string(id) + "/" + std::to_string(++asked_);
  }
  std::string IrqName(uint32_t irq) override { return "device" + std::to_string(irq); }
  std::vector<model::ExecutableMapping> MappingsOf(uint32_t) override {
    return {{.start = 0x1000,
             .size = 0x1000,
             .file_offset = 0,
             .file = "/bin/exe",
             .build_id = {std::byte{1}, std::byte{2}}}};
  }

 private:
  uint64_t asked_ = 0;
};

fxr_task Task(uint32_t tid, uint32_t tgid) {
  fxr_task task{};
  task.tid = tid;
  task.tgid = tgid;
  task.start_time = 1;
  std::to_string(tid).copy(task.comm, sizeof(task.comm) - 1);
  return task;
}

// What a session would deliver, out of rings in memory, to `handler`.
void Deliver(capture::EventHandler& handler) {
  handler.OnClockOffset(1'000'000);
  for (uint32_t tid : {100u, 101u, 200u}) handler.OnSnapshotTask(Task(tid, tid / 100 * 100));
  handler.OnStart(1000);

  capture::SlotProducer rings[2];
  capture::SlotMerger merger;
  merger.AddRing(rings[0].Ring(), 0);
  merger.AddRing(rings[1].Ring(), 1);
  capture::SideProducer side;
  capture::SideRing ring = side.Ring();
  SideEvents others(ring, handler);
  uint32_t running[2] = {0, 0};
  for (uint64_t time = 2000; time < 12'000; time += 100) {
    const uint32_t cpu = time / 100 % 3 == 0 ? 1 : 0;
    const auto next = static_cast<uint32_t>(cpu == 0 ? 100 + time / 100 % 2 : 200 + time / 1000);
    if (next == running[cpu]) continue;
    rings[cpu].Put(time, fxr_pack_switch({.prev_tid = running[cpu],
                                          .next_tid = next,
                                          .prev_priority = 120,
                                          .next_priority = 120,
                                          .prev_state = static_cast<uint8_t>(time / 100 % 3)})
                             .body);
    running[cpu] = next;
    if (time % 1000 == 0) side.PutFork(time + 50, static_cast<uint32_t>(400 + time / 1000));
    if (time % 2000 != 0) continue;
    // Drained now and then.
    merger.Look();
    ring.SeeHead();
    EXPECT_TRUE(ring.Collect());
    capture::SlotStream slots(merger, others, time, time);
    EXPECT_TRUE(handler.OnSlots(slots));
    merger.Release();
    handler.OnTick(time);
  }
  handler.OnLoss(-1, 12'000, FXR_CATEGORY_SCHED, 3);
  perf::BranchStackSample sample;
  sample.time = 12'100;
  sample.cpu = 1;
  sample.pid = sample.tid = 200;
  sample.ip = 0x1234;
  sample.entries = {{.from = 0x1010, .to = 0x1020, .flags = 2}, {.from = 1, .to = 2, .flags = 1}};
  handler.OnBranchSample(sample);
  perf::MmapRecord mapping;
  mapping.pid = 200;
  mapping.address = 0x5000;
  mapping.size = 0x1000;
  mapping.protection = 5;
  mapping.file = "/lib/other";
  handler.OnMapping(12'200, mapping);
  handler.OnClockOffset(2'000'000);
  fxr_task last = Task(100, 100);
  last.uid = 7;
  handler.OnFinalTask(last);
}

// The log of Deliver, and the file that was written meanwhile.
void Record(Bytes* log, Bytes* file) {
  sink::MemorySink sink;
  ChangingIdentities machine;
  RawLogWriter writer(sink);
  LoggedIdentities identities(machine, writer);
  Output output(identities);
  capture::HandlerOf handler(output.translator(), writer);
  Deliver(handler);
  EXPECT_TRUE(writer.Flush());
  *file = output.Finish();
  log->assign(sink.bytes().begin(), sink.bytes().end());
}

util::Status Replay(const Bytes& log, Bytes* file) {
  fxt::MemorySource source(log);
  RawLogReader reader(source);
  ReplayedIdentities identities;
  Output output(identities);
  const util::Status status = reader.Replay(output.translator(), identities);
  *file = output.Finish();
  return status;
}

TEST(RawLogTest, TheSameFileComesOfIt) {
  Bytes log, live, later;
  Record(&log, &live);
  ASSERT_GT(live.size(), 3000u);
  const util::Status status = Replay(log, &later);
  ASSERT_TRUE(status.ok()) << status.error().message;
  EXPECT_TRUE(live == later);
}

TEST(RawLogTest, TwoFilesComeOfOneStream) {
  translate::testing::FakeIdentities machine;
  Output first(machine), second(machine);
  capture::HandlerOf handler(first.translator(), second.translator());
  Deliver(handler);
  const Bytes file = first.Finish();
  EXPECT_GT(file.size(), 3000u);
  EXPECT_TRUE(file == second.Finish());
}

TEST(RawLogTest, ALogThatWasCutOffEndsThere) {
  Bytes log, live;
  Record(&log, &live);
  for (size_t size = sizeof(Heading); size < log.size(); size += 97) {
    Bytes file;
    EXPECT_TRUE(Replay(Bytes(log.begin(), log.begin() + static_cast<ptrdiff_t>(size)), &file));
    EXPECT_LE(file.size(), live.size());
  }
}

TEST(RawLogTest, WhatIsNoLogIsSaidToBeNone) {
  for (const std::string_view text : {"", "fxrawlog", "something else that is long enough"}) {
    const auto bytes = std::as_bytes(std::span(text));
    Bytes file;
    const util::Status status = Replay(Bytes(bytes.begin(), bytes.end()), &file);
    ASSERT_FALSE(status.ok());
    EXPECT_NE(status.error().message.find("not a raw log"), std::string::npos);
  }
}

TEST(RawLogTest, NoBytesDoHarm) {
  Bytes log, live;
  Record(&log, &live);
  uint32_t random = 1;
  const auto next = [&random] { return random = random * 1664525 + 1013904223; };
  int errors = 0;
  for (int round = 0; round < 400; ++round) {
    Bytes damaged = log;
    for (int hit = 0; hit < 1 + round % 7; ++hit) {
      damaged[sizeof(Heading) + (next() >> 8) % (damaged.size() - sizeof(Heading))] =
          static_cast<std::byte>(next() >> 24);
    }
    Bytes file;
    const util::Status status = Replay(damaged, &file);
    if (status.ok()) continue;
    ++errors;
    EXPECT_NE(status.error().message.find("damaged at byte"), std::string::npos);
  }
  EXPECT_GT(errors, 0);
}

}  // namespace
}  // namespace raw_log
