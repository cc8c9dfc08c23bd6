// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/lbr/lbr_report.h"

#include <gtest/gtest.h>

#include "unit/analyze/lbr/lbr_parts.h"
#include "unit/support/branchy_code.h"

namespace analyze {
namespace {

using perf::BranchEntry;
using perf::testing::BranchFlags;
using perf::testing::MakeFlags;
using symbols::BranchKind;
using testing::MakeObject;
using testing::MakeStack;

LbrSymbolOptions WithoutNames() {
  LbrSymbolOptions options;
  options.enabled = false;
  return options;
}

BranchEntry Entry(uint64_t from, uint64_t to, const BranchFlags& flags) {
  return {from, to, MakeFlags(flags)};
}
constexpr BranchFlags kPredicted{.predicted = true};
constexpr BranchFlags kMispredicted{.mispredicted = true};

TEST(LbrReportTest, CountsBranchesAndTheirRate) {
  LbrReport report(WithoutNames());
  report.OnSample(MakeStack(20, 20, 100,
                            {Entry(0x10, 0x20, kPredicted), Entry(0x10, 0x20, kMispredicted),
                             Entry(0x30, 0x40, kPredicted)}));
  report.OnSample(MakeStack(20, 21, 90, {Entry(0x10, 0x20, kPredicted), Entry(0x10, 0x50, {})}));
  report.OnSample(MakeStack(20, 21, 120));
  const LbrTotals& totals = report.totals();
  EXPECT_EQ(totals.samples, 3u);
  EXPECT_EQ(totals.empty_samples, 1u);
  EXPECT_EQ(totals.branches, 5u);
  EXPECT_EQ(totals.mispredicted, 1u);
  EXPECT_EQ(totals.predicted, 3u);
  EXPECT_EQ(totals.longest, 3u);
  EXPECT_EQ(totals.first_time, 90u);
  EXPECT_EQ(totals.last_time, 120u);
  const std::vector<BranchCount> branches = report.Branches();
  ASSERT_EQ(branches.size(), 3u);
  EXPECT_EQ(report.places().Text(branches[0].from), "0x10");
  EXPECT_EQ(report.places().Text(branches[0].to), "0x20");
  EXPECT_EQ(branches[0].count, 3u);
  EXPECT_DOUBLE_EQ(branches[0].mispredict_rate(), 1.0 / 3);
  // A CPU that does not judge gives no rate.
  const auto unjudged = std::find_if(branches.begin(), branches.end(), [&](const BranchCount& b) {
    return report.places().Text(b.to) == "0x50";
  });
  ASSERT_NE(unjudged, branches.end());
  EXPECT_EQ(unjudged->mispredicted + unjudged->predicted, 0u);
  EXPECT_EQ(unjudged->mispredict_rate(), 0);
  const std::vector<BranchCount> mispredicted = report.MispredictedBranches();
  ASSERT_EQ(mispredicted.size(), 1u);
  EXPECT_EQ(mispredicted[0].mispredicted, 1u);
}

TEST(LbrReportTest, DoesNotCountUnfilledSlotsAsBranches) {
  LbrReport report(WithoutNames());
  report.OnSample(MakeStack(20, 20, 100,
                            {Entry(0x10, 0x20, {.predicted = true, .cycles = 5}),
                             Entry(0, 0, kPredicted), Entry(0, 0, kPredicted)}));
  report.OnSample(MakeStack(20, 20, 110, {Entry(0, 0, kPredicted)}));
  EXPECT_EQ(report.totals().branches, 1u);
  EXPECT_EQ(report.totals().predicted, 1u);
  EXPECT_EQ(report.totals().unfilled, 3u);
  EXPECT_EQ(report.totals().empty_samples, 1u);
  EXPECT_EQ(report.Branches().size(), 1u);
  // The code before the oldest filled slot is unknown.
  EXPECT_TRUE(report.Blocks().empty());
  EXPECT_EQ(report.Threads().at(0).branches, 1u);
}

TEST(LbrReportTest, AddsUpTheCyclesBetweenTwoBranches) {
  LbrReport report(WithoutNames());
  // Newest first: from 0x140 the CPU came to 0x100, ran 16 bytes, left at 0x110 with 7 cycles.
  const auto stack = [](uint16_t cycles) {
    return std::vector<BranchEntry>{
        Entry(0x110, 0x200, {.predicted = true, .cycles = cycles}),
        Entry(0x140, 0x100, {.predicted = true, .cycles = 30}),
    };
  };
  report.OnSample(MakeStack(20, 20, 100, stack(7)));
  report.OnSample(MakeStack(20, 20, 110, stack(11)));
  const std::vector<BlockCount> blocks = report.Blocks();
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(report.places().Text(blocks[0].first), "0x100");
  EXPECT_EQ(report.places().Text(blocks[0].last), "0x110");
  EXPECT_EQ(blocks[0].bytes, 16u);
  EXPECT_EQ(blocks[0].count, 2u);
  EXPECT_EQ(blocks[0].cycles, 18u);
  EXPECT_EQ(blocks[0].least, 7u);
  EXPECT_EQ(blocks[0].most, 11u);
  EXPECT_EQ(report.totals().with_cycles, 4u);
}

TEST(LbrReportTest, MakesNoBlocksAcrossModules) {
  LbrReport report(WithoutNames());
  // Without cycles; backwards, as after a lost branch; over more than any straight code.
  report.OnSample(
      MakeStack(20, 20, 100, {Entry(0x110, 0x200, kPredicted), Entry(0x140, 0x100, kPredicted)}));
  report.OnSample(
      MakeStack(20, 20, 110, {Entry(0x90, 0x200, {.cycles = 5}), Entry(0x140, 0x100, {})}));
  report.OnSample(
      MakeStack(20, 20, 120, {Entry(0x90000000, 0x200, {.cycles = 5}), Entry(0x140, 0x100, {})}));
  EXPECT_TRUE(report.Blocks().empty());
}

TEST(LbrReportTest, CountsThreads) {
  LbrReport report(WithoutNames());
  report.OnKernelObject(MakeObject(fxt::KernelObjectType::kThread, 21, "worker"));
  report.OnSample(MakeStack(20, 20, 100, {Entry(0x10, 0x20, kMispredicted)}));
  report.OnSample(MakeStack(20, 21, 110, {Entry(0x10, 0x20, {})}));
  report.OnSample(MakeStack(20, 21, 120));
  report.OnSample(MakeStack(0, 0, 130));
  const std::vector<ThreadCount> threads = report.Threads();
  ASSERT_EQ(threads.size(), 3u);
  EXPECT_EQ(threads[0].name, "worker");
  EXPECT_EQ(threads[0].samples, 2u);
  EXPECT_EQ(threads[0].judged, 0u);
  EXPECT_EQ(threads[1].name, "swapper");
  EXPECT_EQ(threads[2].mispredicted, 1u);
  EXPECT_EQ(threads[2].judged, 1u);
}

// Synthetic: no recording at hand has types, transactions or aborts.
TEST(LbrReportTest, PrefersKindsReportedByTheCpu) {
  LbrReport report(WithoutNames());
  std::vector<BranchEntry> entries;
  for (uint8_t type = 0; type <= PERF_BR_EXTEND_ABI; ++type) {
    entries.push_back(Entry(0x10 + type, 0x100, {.type = type}));
  }
  entries.push_back(Entry(0x40, 0x50, {.in_transaction = true, .aborted = true}));
  report.OnSample(MakeStack(20, 20, 100, entries));
  const LbrTotals& totals = report.totals();
  const auto count = [&](BranchKind kind) { return totals.kinds[static_cast<size_t>(kind)]; };
  EXPECT_EQ(count(BranchKind::kConditional), 1u);
  EXPECT_EQ(count(BranchKind::kJump), 1u);
  EXPECT_EQ(count(BranchKind::kIndirectJump), 1u);
  EXPECT_EQ(count(BranchKind::kCall), 2u);  // conditional ones, too
  EXPECT_EQ(count(BranchKind::kIndirectCall), 1u);
  EXPECT_EQ(count(BranchKind::kReturn), 2u);
  EXPECT_EQ(count(BranchKind::kSyscall), 1u);
  EXPECT_EQ(count(BranchKind::kSyscallReturn), 1u);
  EXPECT_EQ(count(BranchKind::kInterrupt), 1u);
  EXPECT_EQ(count(BranchKind::kInterruptReturn), 1u);
  EXPECT_EQ(totals.in_transaction, 1u);
  EXPECT_EQ(totals.aborted, 1u);
}

class LbrReportSymbolsTest : public ::testing::Test {
 protected:
  static constexpr uint64_t kStart = 0x10000000;
  void SetUp() override {
    code_ = testing_support::FindBranchyCode();
    if (code_.map_size == 0) GTEST_SKIP() << "no x86-64";
    report_.OnModule({.process = 20, .number = 0, .file = code_.file, .build_id = {}});
    report_.OnMapping({.process = 20,
                       .module = 0,
                       .start = kStart,
                       .size = code_.map_size,
                       .file_offset = code_.map_offset});
  }
  uint64_t Caller(uint64_t offset) const {
    return kStart + code_.caller - code_.map_offset + offset;
  }
  uint64_t Callee(uint64_t offset) const {
    return kStart + code_.callee - code_.map_offset + offset;
  }
  testing_support::BranchyCode code_;
  LbrReport report_{LbrSymbolOptions{}};
};

TEST_F(LbrReportSymbolsTest, CountsCallsAndReturnsByFunction) {
  // The branches of the code, newest first, without their kinds.
  report_.OnSample(MakeStack(
      20, 20, 100,
      {Entry(Callee(4), Caller(5), kPredicted), Entry(Callee(2), Callee(4), kPredicted),
       Entry(Callee(0), Callee(2), kMispredicted), Entry(Caller(0), Callee(0), kPredicted)}));
  const std::vector<FunctionCount> functions = report_.Functions();
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(report_.places().function_name(functions[0].function), "lbr_test_callee");
  EXPECT_EQ(functions[0].calls, 1u);
  EXPECT_EQ(functions[0].returns, 1u);
  EXPECT_EQ(functions[0].calls_made, 0u);
  EXPECT_EQ(report_.places().function_name(functions[1].function), "lbr_test_caller");
  EXPECT_EQ(functions[1].calls, 0u);
  EXPECT_EQ(functions[1].calls_made, 1u);
  const auto& kinds = report_.totals().kinds;
  EXPECT_EQ(kinds[static_cast<size_t>(BranchKind::kCall)], 1u);
  EXPECT_EQ(kinds[static_cast<size_t>(BranchKind::kReturn)], 1u);
  EXPECT_EQ(kinds[static_cast<size_t>(BranchKind::kJump)], 1u);
  EXPECT_EQ(kinds[static_cast<size_t>(BranchKind::kConditional)], 1u);
}

TEST_F(LbrReportSymbolsTest, CountsEntriesWhereTheKindIsNotKnown) {
  // From memory that no file backs.
  report_.OnSample(MakeStack(
      20, 20, 100, {Entry(0x1000, Callee(0), kPredicted), Entry(0x1000, Callee(2), kPredicted)}));
  const std::vector<FunctionCount> functions = report_.Functions();
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_EQ(functions[0].entries, 1u);
  EXPECT_EQ(functions[0].calls, 0u);
}

}  // namespace
}  // namespace analyze
