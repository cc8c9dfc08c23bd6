// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/scope.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace comparison {
namespace {

using measure::Attribution;
using measure::Capture;
using measure::Group;

// A command, and another group with 1,000 wakeups, `by_tree` of them by the command.
Capture Make(uint64_t by_tree, uint64_t tree_cpu, uint64_t other_cpu) {
  Capture capture;
  capture.end = 1'000'000'000;
  Group other;
  other.name = {"server", "server", false};
  other.share_ns[static_cast<size_t>(facts::Share::kRunning)] = other_cpu;
  other.blames[static_cast<size_t>(Attribution::kWokenBy)][1] = {by_tree, 0, 0, 0};
  other.blames[static_cast<size_t>(Attribution::kWokenBy)][measure::kInterrupt] = {1000 - by_tree,
                                                                                   0, 0, 0};
  Group tree;
  tree.name = {"tool", "tool", true};
  tree.share_ns[static_cast<size_t>(facts::Share::kRunning)] = tree_cpu;
  capture.groups = {other, tree};
  return capture;
}

bool IsServer(uint64_t by_tree, uint64_t tree_cpu, uint64_t other_cpu) {
  const Capture capture = Make(by_tree, tree_cpu, other_cpu);
  const std::vector<const Capture*> captures = {&capture, &capture};
  const Groups groups(captures, 1);
  const auto scope = ScopeOf(groups);
  EXPECT_TRUE(scope[1]);
  return scope[0];
}

TEST(ScopeTest, ContainsServersThatTheTreeWakes) {
  EXPECT_TRUE(IsServer(900, 1, 9));
  EXPECT_TRUE(IsServer(320, 1, 9));
  // A tenth of the CPU time explains a tenth of the wakeups.
  EXPECT_FALSE(IsServer(110, 1, 9));
  // Less than a twentieth of the wakeups, however little the tree runs.
  EXPECT_FALSE(IsServer(40, 1, 10'000));
  EXPECT_TRUE(IsServer(60, 1, 10'000));
  // A tree with half of the CPU time needs four of five wakeups.
  EXPECT_TRUE(IsServer(810, 5, 5));
  EXPECT_FALSE(IsServer(780, 5, 5));
}

TEST(ScopeTest, ContainsAllButTheRecorderWithoutACommand) {
  Capture capture = Make(0, 1, 1);
  for (Group& group : capture.groups) group.name.of_command = false;
  capture.groups[0].of_recorder = true;
  const std::vector<const Capture*> captures = {&capture, &capture};
  const Groups groups(captures, 1);
  EXPECT_EQ(ScopeOf(groups), (std::vector<bool>{false, true}));
}

}  // namespace
}  // namespace comparison
