// SPDX-License-Identifier: BSD-2-Clause
// A plain step leaves what the whole way leaves, and what is told there is whole.
#include "facts/timeline/fast_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "unit/facts/timeline/fact_list.h"

namespace facts {
namespace {

using testing::FactList;
using testing::Side;

constexpr uint32_t kCpus = 3;
constexpr fxt::Koid kThreads = 9;

// Two timelines of one machine: one that takes plain steps where it can, and one that never does.
class Pair {
 public:
  void Switch(uint64_t time, uint32_t cpu, fxt::Koid outgoing, fxt::ThreadState state,
              fxt::Koid incoming) {
    const facts::Switch change{time, cpu, state, Side(outgoing), Side(incoming)};
    const FastPath::Step step{.time = time,
                              .cpu = cpu,
                              .outgoing = short_.Find(outgoing),
                              .incoming = short_.Find(incoming),
                              .outgoing_state = state,
                              .outgoing_priority = static_cast<uint8_t>(outgoing == 0 ? 0 : 120),
                              .incoming_priority = static_cast<uint8_t>(incoming == 0 ? 0 : 120),
                              .idle = incoming == 0,
                              .process = incoming == 0 ? fxt::Koid{0} : fxt::Koid{1}};
    long_.OnSwitch(change);
    if (step.incoming != kNoThread && short_.IsPlain(step)) {
      const bool was_idle = short_.cpus()[cpu].does == TimelineState::Cpu::Does::kIdle;
      const auto begin = short_.cpus()[cpu].since;
      std::vector<std::string> expected;
      FactList list;
      if (was_idle) {
        list.OnIdle({.cpu = cpu, .thread = outgoing, .begin = begin, .end = time});
      } else {
        list.OnRun({.cpu = cpu,
                    .thread = outgoing,
                    .begin = begin,
                    .end = time,
                    .end_state = short_.OutgoingState(step)});
      }
      if (!step.idle) list.OnWait(short_.WaitOf(step.incoming, time));
      short_.Take(step);
      IsPlain(list.Take());
    } else {
      short_.OnSwitch(change);
      IsOdd();
    }
  }
  void Wake(uint64_t time, uint32_t cpu, fxt::Koid thread, std::optional<fxt::Koid> waker) {
    const Wakeup wakeup{time, cpu, thread, waker, std::nullopt};
    long_.OnWakeup(wakeup);
    const ThreadIndex index = short_.Find(thread);
    if (short_.IsFastWakeup(index, time)) {
      FactList list;
      list.OnWait(short_.WaitOf(index, time));
      short_.TakeWakeup(index, time, cpu, waker);
      IsPlain(list.Take());
    } else {
      short_.OnWakeup(wakeup);
      IsOdd();
    }
  }
  void Loss(int32_t cpu, uint64_t time) {
    short_.OnLoss(cpu, time);
    long_.OnLoss(cpu, time);
    IsOdd();
  }
  void Unseen(uint32_t cpu, uint64_t time) {
    short_.OnUnseenSwitch(cpu, time);
    long_.OnUnseenSwitch(cpu, time);
    IsOdd();
  }
  void Finish() {
    short_.Finish(0);
    long_.Finish(0);
    IsOdd();
    ASSERT_EQ(short_.latest(), long_.latest());
    for (uint32_t cpu = 0; cpu < short_.cpus().size(); ++cpu) {
      ASSERT_EQ(short_.cpus()[cpu].switches, long_.cpus()[cpu].switches);
      ASSERT_EQ(short_.cpus()[cpu].priority, long_.cpus()[cpu].priority);
      ASSERT_EQ(short_.cpus()[cpu].process, long_.cpus()[cpu].process);
    }
  }
  int plain = 0;

 private:
  void IsPlain(const std::vector<std::string>& told) {
    ++plain;
    ASSERT_EQ(long_told_.Take(), told);
    for (const std::string& fact : told) ASSERT_EQ(fact.find_first_of("<>"), std::string::npos);
  }
  void IsOdd() { ASSERT_EQ(short_told_.Take(), long_told_.Take()); }

  FactList short_told_;
  FactList long_told_;
  Timeline<FactList> short_{short_told_};
  Timeline<FactList> long_{long_told_};
};

void Play(uint64_t seed, Pair& pair) {
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t limit) { return random() % limit; };
  const uint64_t odd = seed % 3 == 0 ? 0 : 5;  // of a hundred
  fxt::Koid on_cpu[kCpus] = {};
  uint64_t time = 1000;
  for (int i = 0; i < 500; ++i) {
    time += below(4);
    const auto cpu = static_cast<uint32_t>(below(kCpus));
    const bool is_odd = below(100) < odd;
    if (is_odd && below(2) == 0) {
      below(2) == 0 ? pair.Loss(static_cast<int32_t>(cpu), time) : pair.Unseen(cpu, time);
    } else if (below(3) == 0) {
      const fxt::Koid waker = below(kThreads);
      pair.Wake(time, cpu, 1 + below(kThreads), waker == 0 ? std::nullopt : std::optional(waker));
    } else {
      fxt::Koid next = below(4) == 0 ? 0 : 1 + below(kThreads);
      const bool elsewhere = std::find(on_cpu, on_cpu + kCpus, next) != on_cpu + kCpus;
      if (elsewhere && !is_odd) next = 0;
      const fxt::Koid previous = is_odd ? 1 + below(kThreads) : on_cpu[cpu];
      if (previous == next) continue;
      const uint64_t late = is_odd ? below(5) : 0;
      pair.Switch(time - late, cpu, previous, static_cast<fxt::ThreadState>(below(20) % 7), next);
      on_cpu[cpu] = next;
    }
  }
  pair.Finish();
}

TEST(FastPathTest, APlainStepLeavesWhatTheWholeWayLeaves) {
  int plain = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Pair pair;
    ASSERT_NO_FATAL_FAILURE(Play(seed, pair)) << seed;
    plain += pair.plain;
  }
  EXPECT_GT(plain, 300 * 100);
}

}  // namespace
}  // namespace facts
