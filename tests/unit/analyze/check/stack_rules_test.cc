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

TEST(StackRulesTest, NamesOfFunctionsSayWhereTheyAre) {
  const auto text = [](std::string_view name, std::string_view value) {
    return fxt::Argument{fxt::StringRef::Inline(name), fxt::StringRef::Inline(value)};
  };
  const auto at = [](uint64_t address) {
    return fxt::Argument{fxt::StringRef::Inline("start"), fxt::PointerValue{address}};
  };
  const fxt::Argument size{fxt::StringRef::Inline("size"), uint64_t{16}};
  const fxt::Argument process{fxt::StringRef::Inline("process"), fxt::KoidValue{100}};
  const fxt::Argument function = text("function", "main");
  StackTrace sound;
  sound.Instant("symbol", 100, {function, text("module", "/bin/app"), at(0x1000), size});
  sound.Instant("symbol", 100, {function, process, at(0x1000), size});
  sound.Instant("symbol", 100, {function, at(StackTrace::kKernel), size});
  EXPECT_EQ(Faults(sound), std::vector<std::string>{});
  StackTrace trace;
  trace.Instant("symbol", 100, {function, at(0x1000), size});
  trace.Instant("symbol", 100, {function, process, size});
  trace.Instant("symbol", 100, {function, process, at(0x1000)});
  trace.Instant("symbol", 100, {process, at(0x1000), size});
  trace.Instant("symbol", 100, {function, process, text("module", "a"), at(0x1000), size});
  EXPECT_EQ(Faults(trace).size(), 5u);
}

}  // namespace
}  // namespace analyze
