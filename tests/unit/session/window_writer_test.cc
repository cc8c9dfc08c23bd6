// SPDX-License-Identifier: BSD-2-Clause
#include "session/window_writer.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fxt/reader.h"
#include "schema/names.h"
#include "sink/memory_sink.h"
#include "unit/capture/rings/slot_producer.h"
#include "unit/model/no_identities.h"
#include "unit/session/window_records.h"

namespace session {
namespace {

fxr_task Task(uint32_t tid, std::string_view comm, uint64_t start_time) {
  fxr_task task{};
  task.header = {start_time, FXR_SIDE_FORK, 0, 0, sizeof(task)};
  task.tid = task.tgid = tid;
  task.start_time = start_time;
  comm.copy(task.comm, sizeof(task.comm) - 1);
  return task;
}

fxr_rename Rename(uint64_t time, uint32_t tid, std::string_view comm) {
  fxr_rename event{};
  event.header = {time, FXR_SIDE_RENAME, 0, 0, sizeof(event)};
  event.tid = event.tgid = tid;
  comm.copy(event.comm, sizeof(event.comm) - 1);
  return event;
}

uint64_t SwitchBody(uint32_t from, uint32_t to) {
  return fxr_pack_switch({.prev_tid = from,
                          .next_tid = to,
                          .prev_priority = 120,
                          .next_priority = 120,
                          .prev_state = FXR_STATE_INTERRUPTIBLE})
      .body;
}

class WindowWriterTest : public ::testing::Test {
 protected:
  Window Take(uint64_t begin, uint64_t end) {
    const std::vector<capture::SlotRing> rings = {cpu0_.Ring(), cpu1_.Ring()};
    auto image = capture::RingImage::Copy(rings, {}, {.now = end});
    Window window{.slots = std::move(*image),
                  .identities = durable_.identities().Copy(),
                  .tasks = nullptr,
                  .journal = journal_.Share(),
                  .clock_offset = 0,
                  .stopped = false,
                  .begin = begin,
                  .end = end,
                  .final_tasks = {}};
    window.tasks = std::make_unique<model::TaskTracker>(*window.identities, false);
    window.tasks->CopyTasks(durable_.tasks());
    return window;
  }
  WindowRecords Write(Window window, std::vector<TriggerFired> fired = {}) {
    sink::MemorySink sink;
    WindowWriterOptions options;
    options.fired = std::move(fired);
    stats_ = WriteWindow(std::move(window), options, sink);
    return WindowRecords::Read(sink.bytes());
  }

  model::testing::NoIdentities live_;
  DurableTasks durable_{live_};
  Journal journal_;
  capture::SlotProducer cpu0_, cpu1_;
  WindowStats stats_;
};

TEST_F(WindowWriterTest, HasTheNamesOfTheLeftEdge) {
  durable_.OnSnapshotTask(Task(10, "first", 1));
  durable_.OnSnapshotTask(Task(11, "other", 1));
  durable_.EndSnapshot();
  journal_.Append(Rename(50, 10, "second").header);
  journal_.Append(Rename(150, 11, "later").header);
  cpu0_.Put(120, SwitchBody(10, 0));
  cpu0_.Put(160, SwitchBody(0, 11));
  const WindowRecords records = Write(Take(100, 200));
  EXPECT_EQ(records.names_of(10), (std::vector<std::string>{"second"}));
  EXPECT_EQ(records.names_of(11), (std::vector<std::string>{"other", "later"}));
  EXPECT_EQ(records.switches.size(), 2u);
  EXPECT_EQ(stats_.covered, 100u);
}

TEST_F(WindowWriterTest, ShowsTheRunningThreadAtTheLeftEdge) {
  durable_.OnSnapshotTask(Task(10, "runs", 1));
  durable_.OnSnapshotTask(Task(11, "other", 1));
  durable_.EndSnapshot();
  cpu1_.Put(20, SwitchBody(0, 10));
  cpu0_.Put(120, SwitchBody(0, 11));
  const WindowRecords records = Write(Take(100, 200));
  ASSERT_EQ(records.switches.size(), 2u);
  EXPECT_EQ(records.switches[0].time, 100u);
  EXPECT_EQ(records.switches[0].cpu, 1u);
  EXPECT_EQ(records.switches[0].incoming, 10u);
  EXPECT_EQ(records.switches[1].time, 120u);
}

TEST_F(WindowWriterTest, AStopIsAGap) {
  durable_.OnSnapshotTask(Task(10, "ten", 1));
  durable_.OnSnapshotTask(Task(11, "eleven", 1));
  durable_.EndSnapshot();
  cpu0_.Put(110, SwitchBody(0, 10));
  cpu0_.Put(121, SwitchBody(10, 11));  // its BPF program had checked for a stop before
  cpu0_.Put(150, SwitchBody(11, 0));
  journal_.AppendMark(kJournalStopped, 120);
  journal_.AppendMark(kJournalStarted, 140);
  const WindowRecords records = Write(Take(100, 200));
  EXPECT_EQ(records.instants_named(schema::event::kStopped), (std::vector<uint64_t>{120}));
  EXPECT_EQ(records.instants_named(schema::event::kStarted), (std::vector<uint64_t>{140}));
  std::vector<uint64_t> times;
  for (const auto& each : records.switches) times.push_back(each.time);
  EXPECT_EQ(times, (std::vector<uint64_t>{110, 120, 150, 150}));
}

TEST_F(WindowWriterTest, MarksTriggersAtTheirTimes) {
  cpu0_.Put(150, SwitchBody(0, 0));
  const WindowRecords records = Write(
      Take(100, 200), {{170, "late", "25 ms", 10}, {130, "signal", "", 0}, {250, "after", "", 0}});
  EXPECT_EQ(records.instants_named(schema::event::kTrigger),
            (std::vector<uint64_t>{130, 170, 200}));
}

TEST_F(WindowWriterTest, AReusedTidIsAnotherThread) {
  durable_.OnSnapshotTask(Task(10, "first", 1));
  durable_.EndSnapshot();
  fxr_exit gone{};
  gone.header = {130, FXR_SIDE_EXIT, 0, 0, sizeof(gone)};
  gone.tid = gone.tgid = 10;
  journal_.Append(gone.header);
  journal_.Append(Task(10, "second", 160).header);
  cpu0_.Put(140, SwitchBody(10, 0));
  cpu0_.Put(170, SwitchBody(0, 10));
  const WindowRecords records = Write(Take(100, 200));
  ASSERT_EQ(records.switches.size(), 2u);
  EXPECT_EQ(records.switches[0].outgoing, 10u);
  EXPECT_NE(records.switches[1].incoming, 10u);
  EXPECT_EQ(records.names_of(records.switches[1].incoming), (std::vector<std::string>{"second"}));
}

}  // namespace
}  // namespace session
