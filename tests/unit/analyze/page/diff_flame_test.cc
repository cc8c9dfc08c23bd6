// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/diff_flame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <utility>
#include <vector>

#include "unit/analyze/flame/stack_trace.h"
#include "unit/support/json.h"

namespace analyze {
namespace {

using testing::StackTrace;
namespace fs = std::filesystem;

const std::vector<uint64_t> kBefore = {StackTrace::kKernel, 0x1000};
const std::vector<uint64_t> kAfter = {StackTrace::kKernel + 1, 0x1000, 0x2000};

class DiffFlameTest : public ::testing::Test {
 protected:
  DiffFlameTest() { fs::create_directories(folder_); }
  ~DiffFlameTest() override { fs::remove_all(folder_); }

  // A capture of a second in which a thread slept for this many microseconds with this stack.
  std::string Write(const std::string& name, const std::vector<uint64_t>& stack, uint64_t us) {
    StackTrace trace;
    trace.Define(stack).Stack("off", 101, stack, us * 1000);
    const std::vector<uint64_t> words = trace.words();
    const auto bytes = std::as_bytes(std::span(words));
    const std::string path = folder_ / name;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
    return path;
  }
  static comparison::DiffReport ReportOf(std::vector<std::string> base,
                                         std::vector<std::string> next) {
    comparison::DiffReport report;
    report.base.categories = report.next.categories = "sched,stack";
    report.base.seconds.resize(base.size(), 1);
    report.next.seconds.resize(next.size(), 1);
    report.base.files = std::move(base);
    report.next.files = std::move(next);
    return report;
  }

  fs::path folder_ = fs::path(::testing::TempDir()) / "fxt-diff-flame-test";
};

TEST_F(DiffFlameTest, ScalesASideToOneCaptureAndKeepsStacksOfTheBase) {
  const auto stacks = ReadDiffStacks(ReportOf(
      {Write("a.fxt", kBefore, 10), Write("b.fxt", kBefore, 30)}, {Write("c.fxt", kAfter, 50)}));
  ASSERT_TRUE(stacks);
  const auto data = testing_support::ParseJson(DiffFlameJson(*stacks));
  EXPECT_EQ(data["of"], "off");
  ASSERT_EQ(data["stacks"].size(), 2u);
  std::vector<std::pair<int, int>> weights;
  for (const auto& step : data["stacks"]) {
    weights.emplace_back(step[2].get<int>(), step[3].get<int>());
  }
  std::sort(weights.begin(), weights.end());
  EXPECT_EQ(weights, (std::vector<std::pair<int, int>>{{0, 50}, {20, 0}}));
}

TEST_F(DiffFlameTest, NeedsStacksOnBothSides) {
  const std::string a = Write("a.fxt", kBefore, 10);
  EXPECT_FALSE(ReadDiffStacks(ReportOf({a}, {"-"})));
  EXPECT_FALSE(ReadDiffStacks(ReportOf({a}, {folder_ / "gone.fxt"})));
  auto report = ReportOf({a}, {a});
  EXPECT_TRUE(ReadDiffStacks(report));
  report.base.categories = "sched";
  EXPECT_FALSE(ReadDiffStacks(report));
}

}  // namespace
}  // namespace analyze
