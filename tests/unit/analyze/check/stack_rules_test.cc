// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/check/stack_rules.h"

#include <gtest/gtest.h>

#include <vector>

#include "unit/analyze/flame/stack_trace.h"

namespace analyze {
namespace {

using testing::StackTrace;

const std::vector<uint64_t> kStack = {StackTrace::kKernel, 0x1000};

std::vector<std::string> Faults(StackTrace& trace) {
  StackRules rules;
  std::vector<std::string> faults;
  trace.Read([&](const fxt::Reader& reader) {
    if (auto fault = rules.Check(reader.record())) faults.push_back(*fault);
  });
  return faults;
}

TEST(StackRulesTest, WhatTheRecorderWritesIsSound) {
  StackTrace trace;
  trace.Define(kStack).Stack("on", 100, kStack).Stack("off", 100, kStack, 5);
  trace.Stack("wake", 100, kStack, 5, 101);
  EXPECT_EQ(Faults(trace), std::vector<std::string>{});
}

TEST(StackRulesTest, NamesWhatIsMissing) {
  StackTrace undefined;
  undefined.Stack("on", 100, kStack).Define(kStack);
  ASSERT_EQ(Faults(undefined).size(), 1u);
  EXPECT_NE(Faults(undefined)[0].find("no backtrace"), std::string::npos);
  StackTrace trace;
  trace.Define(kStack).Stack("off", 100, kStack).Stack("wake", 100, kStack, 5);
  trace.Stack("other", 100, kStack).Instant("on", 100, {});
  EXPECT_EQ(Faults(trace).size(), 4u);
}

}  // namespace
}  // namespace analyze
