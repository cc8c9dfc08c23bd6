// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/stack_diff/flame_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "compare/compare.h"

namespace analyze {
namespace {

// Captures of a second with a few hundred stacks, as different from each other as those of a busy
// machine. The same seed has the same stacks.
class Machine {
 public:
  explicit Machine(unsigned seed) : random_(seed) {
    for (int stack = 0; stack < 300; ++stack) {
      FoldedStack frames = {"app", "worker"};
      const int depth = 3 + stack % 12;
      for (int at = 0; at < depth; ++at) {
        frames.push_back("f" + std::to_string(stack % (at + 2)) + "_" + std::to_string(at));
      }
      frames.push_back("leaf" + std::to_string(stack));
      stacks_.push_back(frames);
      means_.push_back(std::exp(std::uniform_real_distribution<double>(3, 12)(random_)));
      events_.push_back(std::exp(std::uniform_real_distribution<double>(-1, 5)(random_)));
    }
  }
  // `factor` is of the time of the stack `planted`.
  FlameCapture Capture(size_t planted = SIZE_MAX, double factor = 1) {
    FlameCapture capture;
    const double load = std::lognormal_distribution<double>(0, 0.2)(random_);
    for (size_t i = 0; i < stacks_.size(); ++i) {
      const auto events =
          static_cast<uint64_t>(std::poisson_distribution<int>(events_[i])(random_));
      if (events == 0) continue;
      double sum = 0;
      for (uint64_t event = 0; event < events; ++event) {
        sum += means_[i] / events_[i] * std::exponential_distribution<double>(1)(random_);
      }
      sum *=
          load * std::lognormal_distribution<double>(0, 0.3)(random_) * (i == planted ? factor : 1);
      capture.stacks[stacks_[i]] = static_cast<uint64_t>(sum);
      capture.events[stacks_[i]] = events;
    }
    return capture;
  }
  const FoldedStack& stack(size_t number) const { return stacks_[number]; }
  // A stack with much time and many events.
  size_t Large() const {
    for (size_t i = 0; i < stacks_.size(); ++i) {
      if (means_[i] > 20'000 && events_[i] > 20) return i;
    }
    return 0;
  }

 private:
  std::mt19937 random_;
  std::vector<FoldedStack> stacks_;
  std::vector<double> means_;  // us
  std::vector<double> events_;
};

FlameSets SetsOf(Machine& machine, size_t a_side, size_t planted = SIZE_MAX, double factor = 1) {
  FlameSets sets;
  sets.bases = a_side;
  for (size_t i = 0; i < 2 * a_side; ++i) {
    const bool is_new = i >= a_side;
    sets.captures.push_back(machine.Capture(is_new ? planted : SIZE_MAX, factor));
    sets.seconds.push_back(1);
  }
  return sets;
}

size_t Coloured(const FlameComparison& compared) {
  return static_cast<size_t>(std::ranges::count_if(
      compared.q, [](double q) { return q <= comparison::kFalseDiscoveries; }));
}

TEST(FlameSetsTest, EqualSetsStayGrey) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Machine machine(seed);
    EXPECT_EQ(Coloured(CompareFlames(SetsOf(machine, 5))), 0u) << seed;
  }
}

TEST(FlameSetsTest, APlantedStackIsFound) {
  for (unsigned seed = 100; seed < 105; ++seed) {
    Machine machine(seed);
    const size_t planted = machine.Large();
    const FlameComparison compared = CompareFlames(SetsOf(machine, 5, planted, 6));
    // The place of the stack in the walk.
    FoldedStacks all = compared.base;
    all.insert(compared.next.begin(), compared.next.end());
    size_t place = 0;
    const FoldedStack* before = nullptr;
    for (const auto& [stack, weight] : all) {
      size_t kept = 0;
      while (before != nullptr && kept < before->size() && kept < stack.size() &&
             (*before)[kept] == stack[kept]) {
        ++kept;
      }
      place += stack.size() - kept;
      before = &stack;
      if (stack == machine.stack(planted)) break;
    }
    ASSERT_LT(place, compared.q.size());
    EXPECT_LE(compared.q[place], comparison::kFalseDiscoveries) << seed;
  }
}

TEST(FlameSetsTest, AFewCapturesDecideNothing) {
  Machine machine(1);
  const FlameComparison compared = CompareFlames(SetsOf(machine, 2, machine.Large(), 100));
  EXPECT_FALSE(compared.enough);
  EXPECT_EQ(Coloured(compared), 0u);
}

TEST(FlameSetsTest, ShowsMeansOfCapturesOfDifferentLength) {
  FlameSets sets;
  sets.bases = 1;
  const FoldedStack stack = {"app", "app", "main"};
  sets.captures = {{{{stack, 10'000}}, {{stack, 5}}}, {{{stack, 60'000}}, {{stack, 5}}}};
  sets.seconds = {1, 3};
  const FlameComparison compared = CompareFlames(sets);
  EXPECT_EQ(compared.base.at(stack), 20'000u);
  EXPECT_EQ(compared.next.at(stack), 40'000u);
  EXPECT_EQ(compared.q.size(), 4u);
}

measure::Capture CaptureOf(const std::string& name) {
  measure::Capture capture;
  capture.end = 1'000'000'000;
  for (const std::string& of : {std::string("other"), name}) {
    measure::Group group;
    group.name = {of, of, false};
    group.threads = 1;
    group.share_ns[static_cast<size_t>(facts::Share::kRunning)] = 100'000'000;
    group.wakeups = 1000;
    capture.groups.push_back(group);
  }
  std::ranges::sort(capture.groups, {}, &measure::Group::name);
  return capture;
}

TEST(FlameSetsTest, MatchesRenamedPrograms) {
  const measure::Capture before = CaptureOf("server");
  const measure::Capture after = CaptureOf("server-next");
  FlameSets sets;
  sets.bases = 1;
  sets.seconds = {1, 1};
  sets.captures = {{{{{"server", "server", "main"}, 5000}}, {}},
                   {{{{"server-next", "server-next", "main"}, 5000}}, {}}};
  const std::vector<const measure::Capture*> captures = {&before, &after};
  MatchRenamed(sets, captures);
  EXPECT_TRUE(sets.captures[0].stacks.contains({"server-next", "server-next", "main"}));
}

}  // namespace
}  // namespace analyze
