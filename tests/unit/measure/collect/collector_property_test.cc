// SPDX-License-Identifier: BSD-2-Clause
// Random traces: whatever happens, the times of all groups add up.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "facts/timeline/share.h"
#include "unit/measure/random_trace.h"
#include "unit/measure/trace_script.h"

namespace measure {
namespace {

using testing::FillAtRandom;
using testing::TraceScript;

// All facts of the timeline of the same trace, without groups.
struct Sums {
  std::array<uint64_t, facts::kShares> shares{};
  std::map<fxt::Koid, int> threads;
  uint64_t slices = 0;

  void OnRun(const facts::Run& run) {
    Add(run.thread, facts::ShareOf(run), run.end - run.begin);
    slices += run.end - run.begin;
  }
  void OnWait(const facts::Wait& wait) {
    Add(wait.thread, facts::ShareOf(wait), wait.end - wait.begin);
  }
  void Add(fxt::Koid thread, facts::Share share, uint64_t ns) {
    ++threads[thread];
    shares[static_cast<size_t>(share)] += ns;
  }
};

Sums SumsOf(std::span<const std::byte> bytes) {
  Sums sums;
  facts::Timeline<Sums> timeline(sums);
  fxt::MemorySource source(bytes);
  fxt::Reader reader(source);
  while (reader.Next() == fxt::ReadStatus::kRecord) timeline.Add(reader);
  timeline.Finish(timeline.latest());
  return sums;
}

TEST(CollectorPropertyTest, TheSharesOfEachGroupAddUpToTheWindow) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    TraceScript trace;
    FillAtRandom(trace, seed, seed % 2 == 0);
    const Sums sums = SumsOf(trace.bytes());
    const Capture capture = trace.Collect();
    std::array<uint64_t, facts::kShares> shares{};
    uint64_t threads = 0;
    uint64_t slices = 0;
    for (const Group& group : capture.groups) {
      uint64_t sum = 0;
      for (size_t i = 0; i < shares.size(); ++i) {
        sum += group.share_ns[i];
        shares[i] += group.share_ns[i];
      }
      ASSERT_EQ(sum, group.threads * capture.length()) << seed << " " << group.name.thread;
      threads += group.threads;
      const Distribution& times = group.of(Duration::kSlice);
      slices += times.whole_ns + times.cut_ns + times.unknown_ns;
    }
    ASSERT_EQ(slices, sums.slices) << seed;
    if (seed % 2 == 0) {
      // A thread that is renamed is absent where it had the other name.
      shares.back() = sums.shares.back();
    } else {
      ASSERT_EQ(threads, sums.threads.size()) << seed;
    }
    ASSERT_EQ(shares, sums.shares) << seed;
  }
}

// All calls of a watcher, as text.
class Listener final : public Watcher {
 public:
  void OnObject(const fxt::Record& /*object*/) override { Add("object"); }
  void OnBegin(uint64_t first, uint64_t begin) override { Add("begin", first, begin); }
  void OnRun(const facts::Run& run) override {
    Add("run", run.cpu, run.index, run.thread, run.process, run.begin, run.end, run.priority,
        run.end_state, run.began, run.ended);
  }
  void OnWait(const facts::Wait& wait) override {
    Add("wait", wait.index, wait.thread, wait.kind, wait.begin, wait.end, wait.began, wait.ended,
        wait.touches_loss, wait.state, wait.waker, wait.target_cpu, wait.preemptor, wait.end_record,
        wait.end_cpu, wait.end_waker, wait.end_by_interrupt, wait.next_priority);
  }
  void OnIdle(const facts::Idle& idle) override {
    Add("idle", idle.cpu, idle.index, idle.thread, idle.begin, idle.end, idle.began, idle.ended);
  }
  void OnGap(const facts::Gap& gap) override { Add("gap", gap.cpu, gap.begin, gap.end); }
  const std::vector<std::string>& heard() const { return heard_; }

 private:
  template <typename Value>
  static std::string Text(const Value& value) {
    if constexpr (requires {
                    *value;
                    value.has_value();
                  }) {
      return value ? Text(*value) : "-";
    } else {
      return std::to_string(static_cast<uint64_t>(value));
    }
  }
  template <typename... Values>
  void Add(const char* what, const Values&... values) {
    heard_.emplace_back(what);
    ((heard_.back() += " " + Text(values)), ...);
  }
  std::vector<std::string> heard_;
};

TEST(CollectorPropertyTest, FastPathEqualsTheGeneralPath) {
  uint64_t taken = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    TraceScript trace(TraceScript::kIndexed);
    FillAtRandom(trace, seed, seed % 2 == 0, seed % 5 == 0);
    Listener one;
    Listener other;
    const bool listens = seed % 3 != 0;
    const Capture all = trace.Collect({.watcher = listens ? &one : nullptr});
    const Capture fast = trace.CollectFastPath({.watcher = listens ? &other : nullptr}, &taken);
    ASSERT_TRUE(fast == all) << seed;
    ASSERT_EQ(other.heard(), one.heard()) << seed;
    const uint64_t begin = trace.Collect().begin;
    const CollectorOptions window{.from = begin + 50, .to = begin + 300};
    ASSERT_TRUE(trace.CollectFastPath(window) == trace.Collect(window)) << seed;
  }
  EXPECT_GT(taken, 300u * 20);
}

TEST(CollectorPropertyTest, PartsOfAWindowAddUpToTheWhole) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    TraceScript trace;
    FillAtRandom(trace, seed, false);
    const Capture whole = trace.Collect();
    const uint64_t middle = whole.begin + whole.length() / 3;
    const Capture parts[2] = {trace.Collect({.from = 0, .to = middle}),
                              trace.Collect({.from = middle, .to = UINT64_MAX})};
    std::array<uint64_t, facts::kShares> sums{};
    for (const Group& group : whole.groups) {
      for (size_t i = 0; i + 1 < sums.size(); ++i) sums[i] += group.share_ns[i];
    }
    for (const Capture& part : parts) {
      for (const Group& group : part.groups) {
        uint64_t sum = 0;
        for (const uint64_t share : group.share_ns) sum += share;
        ASSERT_EQ(sum, group.threads * part.length()) << seed;
        for (size_t i = 0; i + 1 < sums.size(); ++i) sums[i] -= group.share_ns[i];
      }
    }
    for (size_t i = 0; i + 1 < sums.size(); ++i) ASSERT_EQ(sums[i], 0u) << seed << " share " << i;
  }
}

}  // namespace
}  // namespace measure
