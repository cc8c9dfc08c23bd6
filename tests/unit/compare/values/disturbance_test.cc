// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/disturbance.h"

#include <gtest/gtest.h>

#include <vector>

namespace comparison {
namespace {

// Captures of a second on two CPUs; `others` are the parts of the CPU time that a compiler has.
std::vector<Disturbance> Disturbed(const std::vector<double>& base,
                                   const std::vector<double>& next) {
  std::vector<measure::Capture> made;
  for (const auto* side : {&base, &next}) {
    for (const double others : *side) {
      measure::Capture capture;
      capture.end = 1'000'000'000;
      capture.by_cpu.resize(2);
      const auto add = [&](const char* name, bool of_command, double part) {
        measure::Group group;
        group.name = {name, name, of_command};
        group.threads = 1;
        group.share_ns[static_cast<size_t>(facts::Share::kRunning)] =
            static_cast<uint64_t>(part * 2e9);
        capture.groups.push_back(group);
      };
      add("app", true, 0.1);
      add("compiler", false, others);
      add("shell", false, 0.01);
      made.push_back(capture);
    }
  }
  std::vector<const measure::Capture*> captures;
  for (const measure::Capture& capture : made) captures.push_back(&capture);
  const Groups groups(captures, base.size());
  std::vector<bool> in_scope;
  for (const SharedGroup& group : groups.all()) in_scope.push_back(group.name.of_command);
  auto found = DisturbedCaptures(groups, in_scope);
  for (const Disturbance& one : found) {
    EXPECT_EQ(groups.all()[*one.group].name.process, "compiler");
  }
  return found;
}

TEST(DisturbanceTest, IsMuchMoreThanIsUsualOfTheSide) {
  const auto found = Disturbed({0.1, 0.1, 0.9, 0.1, 0.1}, {0.1, 0.8, 0.1, 0.85, 0.1});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].capture, 2U);
  EXPECT_NEAR(found[0].share, 0.91, 1e-6);
  EXPECT_NEAR(found[0].usual, 0.11, 1e-6);
  EXPECT_EQ(found[1].capture, 6U);
  EXPECT_EQ(found[2].capture, 8U);
}

TEST(DisturbanceTest, WhatHappensInMostCapturesIsUsual) {
  EXPECT_TRUE(Disturbed({0.1, 0.1, 0.1}, {0.9, 0.8, 0.9}).empty());
  EXPECT_TRUE(Disturbed({0.5, 0.6, 0.4}, {0.7, 0.3, 0.6}).empty());
}

}  // namespace
}  // namespace comparison
