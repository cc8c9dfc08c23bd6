// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/rewrite/record_filter.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "facts/scheduling.h"
#include "facts/timeline/cpu_tracker.h"
#include "unit/analyze/recording_parts.h"

namespace analyze {
namespace {

using testing::RecordingParts;

TEST(ParseMomentTest, ParsesRelativeAndAbsoluteTimes) {
  const auto ns = [](const char* text) {
    const auto moment = ParseMoment(text);
    EXPECT_TRUE(moment.ok()) << text;
    return moment.ok() ? std::pair(moment->absolute, moment->ns) : std::pair(false, uint64_t{1});
  };
  EXPECT_EQ(ns("1.5s"), std::pair(false, uint64_t{1'500'000'000}));
  EXPECT_EQ(ns("20ms"), std::pair(false, uint64_t{20'000'000}));
  EXPECT_EQ(ns("0"), std::pair(false, uint64_t{0}));
  EXPECT_EQ(ns("0s"), std::pair(false, uint64_t{0}));
  EXPECT_EQ(ns("@123456789012"), std::pair(true, uint64_t{123456789012}));
  EXPECT_EQ(ns("@2s"), std::pair(true, uint64_t{2'000'000'000}));
  for (const char* bad : {"", "@", "x", "1.5q", "-1s", "0x"}) {
    EXPECT_FALSE(ParseMoment(bad).ok()) << bad;
  }
}

TEST(TimeRangeTest, CountsRelativeTimesFromTheStart) {
  TimeRange range(Moment{false, 100}, Moment{true, 1500});
  range.SetStart(1000);
  EXPECT_FALSE(range.Contains(1099));
  EXPECT_TRUE(range.Contains(1100));
  EXPECT_TRUE(range.Contains(1500));
  EXPECT_FALSE(range.Contains(1501));
}

TEST(TaskSelectorTest, SelectsByIdAndName) {
  TaskSelector selector;
  selector.Add("100");
  selector.Add("kworker/*");
  EXPECT_TRUE(selector.Matches(100, "x"));
  EXPECT_TRUE(selector.Matches(100 | 5 << 22, "x")) << "the same tid, used again";
  EXPECT_FALSE(selector.Matches(100 | uint64_t{1023} << 22, "x")) << "idle of CPU 100";
  EXPECT_TRUE(selector.Matches(7, "kworker/0:1"));
  EXPECT_FALSE(selector.Matches(7, "worker"));
}

std::vector<std::string> Matching(const std::function<void(RecordFilter&)>& set) {
  RecordingParts file = RecordingParts::Sound();
  RecordFilter filter;
  set(filter);
  fxt::MemorySource source(file.Bytes());
  fxt::Reader reader(source);
  facts::TaskNames names;
  facts::CpuTracker cpus;
  std::vector<std::string> labels;
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    names.Note(reader.record());
    const auto time = facts::TimeOf(reader.record(), reader.provider());
    if (time && !filter.time.started()) filter.time.SetStart(*time);
    if (filter.Matches(reader, names, cpus.CpuOf(reader))) {
      labels.push_back(file.LabelAt(reader.offset()));
    }
    cpus.Note(reader);
  }
  return labels;
}

using Labels = std::vector<std::string>;

TEST(RecordFilterTest, MatchesEverythingByDefault) {
  EXPECT_GT(Matching([](RecordFilter&) {}).size(), 40u);
}

TEST(RecordFilterTest, FiltersByKind) {
  EXPECT_EQ(Matching([](RecordFilter& f) {
              f.kinds.set(static_cast<size_t>(facts::RecordKind::kLog));
              f.kinds.set(static_cast<size_t>(facts::RecordKind::kWakeup));
            }),
            (Labels{"wakeup worker", "log"}));
}

TEST(RecordFilterTest, FiltersByTime) {
  EXPECT_EQ(Matching([](RecordFilter& f) {
              f.time = TimeRange(Moment{false, 1500}, Moment{true, 1'000'003'000});
            }),
            (Labels{"wakeup worker", "switch to worker"}));
}

TEST(RecordFilterTest, FiltersByThread) {
  EXPECT_EQ(Matching([](RecordFilter& f) {
              f.threads.Add("worker");
              f.kinds.set(static_cast<size_t>(facts::RecordKind::kSwitch));
            }),
            (Labels{"switch to worker", "switch from worker", "switch after loss",
                    "switch unseen before", "last switch"}));
}

TEST(RecordFilterTest, FiltersByProcess) {
  // A wakeup names only the thread; its kernel object names the process.
  EXPECT_EQ(Matching([](RecordFilter& f) {
              f.processes.Add("app");
              f.kinds.set(static_cast<size_t>(facts::RecordKind::kWakeup));
            }),
            (Labels{"wakeup worker"}));
  EXPECT_EQ(Matching([](RecordFilter& f) {
              f.processes.Add("swapper");
              f.threads.Add("worker");
            }),
            Labels{});
}

TEST(RecordFilterTest, FiltersByCpu) {
  // An event is on the CPU of its thread.
  EXPECT_EQ(Matching([](RecordFilter& f) { f.cpus = {1}; }),
            (Labels{"wakeup worker", "switch to worker", "flow end", "async end", "branches",
                    "state", "switch from worker"}));
}

TEST(RecordFilterTest, FiltersByCategory) {
  EXPECT_EQ(Matching([](RecordFilter& f) {
              f.categories = {"log", "sched"};
            }),
            (Labels{"log instant", "state"}));
}

}  // namespace
}  // namespace analyze
