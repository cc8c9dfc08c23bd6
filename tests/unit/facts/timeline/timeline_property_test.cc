// SPDX-License-Identifier: BSD-2-Clause
// Random machines, whose own accounts are compared with those of the timeline.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <vector>

#include "facts/timeline/share.h"
#include "facts/timeline/timeline.h"
#include "unit/facts/timeline/fact_list.h"

namespace facts {
namespace {

using Shares = std::array<uint64_t, kShares>;

// Adds up, and holds each fact against the one before it.
struct Sums {
  std::map<fxt::Koid, Shares> threads;
  std::map<fxt::Koid, uint64_t> thread_end;
  std::map<uint32_t, uint64_t> cpu_end;

  void OnRun(const Run& run) {
    OfThread(run.thread, ShareOf(run), run.begin, run.end);
    OfCpu(run.cpu, run.begin, run.end);
  }
  void OnWait(const Wait& wait) { OfThread(wait.thread, ShareOf(wait), wait.begin, wait.end); }
  void OnIdle(const Idle& idle) { OfCpu(idle.cpu, idle.begin, idle.end); }
  void OnGap(const Gap& gap) { OfCpu(gap.cpu, gap.begin, gap.end); }

 private:
  void OfThread(fxt::Koid thread, Share share, uint64_t begin, uint64_t end) {
    ASSERT_LE(begin, end);
    ASSERT_EQ(thread_end[thread], begin) << "thread " << thread;
    thread_end[thread] = end;
    threads[thread][static_cast<size_t>(share)] += end - begin;
  }
  void OfCpu(uint32_t cpu, uint64_t begin, uint64_t end) {
    ASSERT_LE(begin, end);
    ASSERT_EQ(cpu_end[cpu], begin) << "cpu " << cpu;
    cpu_end[cpu] = end;
  }
};

// Threads 1, 2, ... on a few CPUs; thread 0 is idle. Keeps its own accounts.
class Machine {
 public:
  static constexpr uint32_t kCpus = 3;
  static constexpr fxt::Koid kThreads = 12;

  // `damage` of 100 records are left out, as many are followed by a loss or an unseen switch.
  Machine(uint64_t seed, unsigned damage) : random_(seed), damage_(damage) {
    for (uint32_t cpu = 0; cpu < kCpus; ++cpu) {
      running_[cpu] = cpu + 1;
      threads_[cpu + 1] = {Share::kRunning, 0};
    }
    timeline_.OnLoss(-1, 0);  // the window begins
  }

  void Play(int steps) {
    for (uint32_t cpu = 0; cpu < kCpus; ++cpu) SwitchOn(cpu);
    for (int i = 0; i < steps; ++i) {
      time_ += Random(4);
      if (Random(3) == 0) {
        WakeOne();
      } else {
        SwitchOn(static_cast<uint32_t>(Random(kCpus)));
      }
      if (Random(100) >= damage_) continue;
      const auto cpu = static_cast<uint32_t>(Random(kCpus));
      switch (Random(4)) {
        case 0:
          timeline_.OnLoss(static_cast<int32_t>(cpu), time_);
          break;
        case 1:
          timeline_.OnLoss(static_cast<int32_t>(cpu), time_);
          timeline_.OnSwitch({time_, cpu, fxt::ThreadState::kNew, testing::Side(running_[cpu]),
                              testing::Lost(cpu)});
          break;
        case 2:
          timeline_.OnUnseenSwitch(cpu, time_);
          break;
        default:
          timeline_.OnFork(100 + Random(5), time_);
      }
    }
    time_ += 5;
    timeline_.Finish(time_);
    for (auto& [koid, thread] : threads_) Pass(thread, thread.share);
  }

  uint64_t time() const { return time_; }
  const Sums& sums() const { return sums_; }
  std::map<fxt::Koid, Shares> accounts() const {
    std::map<fxt::Koid, Shares> accounts;
    for (const auto& [koid, thread] : threads_) accounts[koid] = thread.spent;
    return accounts;
  }

 private:
  struct Thread {
    Share share = Share::kUnknown;
    uint64_t since = 0;
    Shares spent{};
  };

  uint64_t Random(uint64_t below) { return random_() % below; }
  bool IsLeftOut() { return Random(100) < damage_; }
  void Pass(Thread& thread, Share next) {
    thread.spent[static_cast<size_t>(thread.share)] += time_ - thread.since;
    thread.since = time_;
    thread.share = next;
  }

  void SwitchOn(uint32_t cpu) {
    // All threads that can run: unknown threads come from before the window.
    std::vector<fxt::Koid> ready = {0};
    for (fxt::Koid koid = 1; koid <= kThreads; ++koid) {
      const Share share = threads_[koid].share;
      if (share == Share::kRunnableWakeup || share == Share::kRunnablePreempted ||
          share == Share::kUnknown) {
        ready.push_back(koid);
      }
    }
    const fxt::Koid outgoing = running_[cpu];
    const fxt::Koid incoming = ready[Random(ready.size())];
    if (incoming == outgoing) return;
    constexpr std::array kStates = {fxt::ThreadState::kNew, fxt::ThreadState::kBlocked,
                                    fxt::ThreadState::kSuspended};
    constexpr std::array kShareOfState = {Share::kRunnablePreempted, Share::kSleeping,
                                          Share::kStopped};
    const size_t state = outgoing == 0 ? 0 : Random(kStates.size());
    if (outgoing != 0) Pass(threads_[outgoing], kShareOfState[state]);
    if (incoming != 0) Pass(threads_[incoming], Share::kRunning);
    running_[cpu] = incoming;
    if (IsLeftOut()) return;
    timeline_.OnSwitch(
        {time_, cpu, kStates[state], testing::Side(outgoing), testing::Side(incoming)});
  }

  void WakeOne() {
    const fxt::Koid koid = 1 + Random(kThreads);
    Thread& thread = threads_[koid];
    const bool asleep = thread.share == Share::kSleeping || thread.share == Share::kStopped ||
                        thread.share == Share::kUnknown;
    // Wakeups of the others happen, and say nothing.
    if (asleep) Pass(thread, Share::kRunnableWakeup);
    if (IsLeftOut()) return;
    timeline_.OnWakeup({.time = time_, .cpu = 0, .thread = koid, .waker = {}, .weight = {}});
  }

  std::mt19937_64 random_;
  unsigned damage_;
  uint64_t time_ = 0;
  std::array<fxt::Koid, kCpus> running_{};
  std::map<fxt::Koid, Thread> threads_;
  Sums sums_;
  Timeline<Sums> timeline_{sums_};
};

TEST(TimelinePropertyTest, EachThreadsTimeIsDividedAsItWasSpent) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Machine machine(seed, 0);
    machine.Play(400);
    ASSERT_EQ(machine.sums().threads, machine.accounts()) << "seed " << seed;
  }
}

TEST(TimelinePropertyTest, WhateverIsMissingTheTimesAddUpToTheWindow) {
  uint64_t unknown = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Machine machine(seed, 1 + seed % 20);
    machine.Play(400);
    const Sums& sums = machine.sums();
    // Each fact begins where the one before it ended, which Sums looks at.
    for (const auto& [koid, end] : sums.thread_end) ASSERT_EQ(end, machine.time()) << koid;
    for (const auto& [cpu, end] : sums.cpu_end) ASSERT_EQ(end, machine.time()) << cpu;
    for (const auto& [koid, shares] : sums.threads) {
      uint64_t sum = 0;
      for (const uint64_t share : shares) sum += share;
      ASSERT_EQ(sum, machine.time()) << koid;
      unknown += shares[static_cast<size_t>(Share::kUnknown)];
    }
  }
  EXPECT_GT(unknown, 0u);
}

}  // namespace
}  // namespace facts
