// SPDX-License-Identifier: BSD-2-Clause
// The fast path of a timeline hands out the facts that the general path hands out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "facts/timeline/timeline.h"
#include "unit/measure/random_trace.h"
#include "unit/measure/trace_script.h"

namespace facts {
namespace {

using measure::testing::FillAtRandom;
using measure::testing::TraceScript;

// All members of all facts, as text, and the state after them.
class FactLog {
 public:
  void OnRun(const Run& run) {
    Add("run", run.cpu, run.index, run.thread, run.process, run.begin, run.end, run.priority,
        run.end_state, run.began, run.ended);
  }
  void OnWait(const Wait& wait) {
    Add("wait", wait.index, wait.thread, wait.kind, wait.begin, wait.end, wait.began, wait.ended,
        wait.touches_loss, wait.state, wait.waker, wait.target_cpu, wait.preemptor, wait.end_record,
        wait.end_cpu, wait.end_waker, wait.end_by_interrupt, wait.next_priority);
  }
  void OnIdle(const Idle& idle) {
    Add("idle", idle.cpu, idle.index, idle.thread, idle.begin, idle.end, idle.began, idle.ended);
  }
  void OnGap(const Gap& gap) {
    Add("gap", gap.cpu, gap.begin, gap.end, gap.why, gap.shown, gap.ended);
  }
  void OnWakeup(const Wakeup& wakeup) {
    Add("wakeup", wakeup.time, wakeup.cpu, wakeup.thread, wakeup.waker, wakeup.by_interrupt);
  }
  void OnCpuSwitch(const CpuSwitch& change) {
    Add("switch", change.cpu, change.time, change.outgoing, change.outgoing_process,
        change.outgoing_idle, change.preempted, change.activity, change.index, change.thread,
        change.process, change.priority);
  }
  void AddCpus(const TimelineState& state) {
    for (const TimelineState::Cpu& cpu : state.cpus()) {
      Add("cpu", cpu.does, cpu.switches, cpu.wakeups, cpu.busy_ns, cpu.idle_ns, cpu.unknown_ns);
    }
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  template <typename Value>
  static std::string Text(const Value& value) {
    return fmt::format("{}", static_cast<int64_t>(value));
  }
  template <typename Value>
  static std::string Text(const std::optional<Value>& value) {
    return value ? Text(*value) : "none";
  }
  template <typename... Values>
  void Add(const char* name, const Values&... values) {
    std::string& line = lines_.emplace_back(name);
    ((line += " " + Text(values)), ...);
  }

  std::vector<std::string> lines_;
};

std::vector<std::string> ReadAll(TraceScript& trace, bool fast, uint64_t* taken) {
  FactLog log;
  Timeline<FactLog> timeline(log);
  fxt::MemorySource source(trace.bytes());
  fxt::Reader reader(source);
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    timeline.Add(reader);
    if (fast) *taken += timeline.AddFastPath(reader, 10);
  }
  timeline.Finish(timeline.latest());
  log.AddCpus(timeline);
  return log.lines();
}

TEST(TimelineFastPathTest, FactsEqualThoseOfTheGeneralPath) {
  uint64_t taken = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    TraceScript trace(TraceScript::kIndexed);
    FillAtRandom(trace, seed, seed % 2 == 0, seed % 3 == 0);
    ASSERT_EQ(ReadAll(trace, true, &taken), ReadAll(trace, false, nullptr)) << seed;
  }
  EXPECT_GT(taken, 300u * 30);
}

// Counts whole facts and refuses one thread.
struct SelectiveHandler {
  uint64_t whole = 0;
  uint64_t others = 0;
  bool IsReady(ThreadIndex thread) const { return thread != refused; }
  template <typename Full>
  void OnWholeRun(const WholeRun& run, Full&& full) {
    ++whole;
    EXPECT_NE(run.index, refused);
    const Run all = full();
    EXPECT_EQ(all.ended, Bound::kSeen);
    EXPECT_EQ(all.begin, run.begin);
    EXPECT_EQ(all.end_state, run.end_state);
  }
  template <typename Full>
  void OnWholeWait(const WholeWait& wait, Full&& full) {
    ++whole;
    EXPECT_NE(wait.index, refused);
    const Wait all = full();
    EXPECT_FALSE(all.touches_loss);
    EXPECT_EQ(all.end_record, WaitEnd::kSwitch);
    EXPECT_EQ(all.begin, wait.begin);
    EXPECT_EQ(all.end_cpu, wait.end_cpu);
  }
  template <typename Full>
  void OnWholeSleep(const WholeWait& wait, const Wakeup& end, Full&& full) {
    ++whole;
    const Wait all = full();
    EXPECT_EQ(all.end_record, WaitEnd::kWakeup);
    EXPECT_EQ(all.end, wait.end);
    EXPECT_EQ(all.end_waker, end.waker);
  }
  void OnRun(const Run&) { ++others; }
  void OnWait(const Wait&) { ++others; }
  void OnIdle(const Idle&) { ++others; }

  static constexpr ThreadIndex refused = 2;
};

TEST(TimelineFastPathTest, WholeFactsAreOfReadyThreads) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    TraceScript trace(TraceScript::kIndexed);
    FillAtRandom(trace, seed, true, true);
    SelectiveHandler handler;
    Timeline<SelectiveHandler> timeline(handler);
    fxt::MemorySource source(trace.bytes());
    fxt::Reader reader(source);
    while (reader.Next() == fxt::ReadStatus::kRecord) {
      timeline.Add(reader);
      timeline.AddFastPath(reader, 10);
    }
    EXPECT_GT(handler.whole, 20u);
    EXPECT_GT(handler.others, 20u);
  }
}

}  // namespace
}  // namespace facts
