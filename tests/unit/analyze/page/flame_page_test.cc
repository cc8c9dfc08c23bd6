// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/flame_page.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/support/json.h"

namespace analyze {
namespace {

nlohmann::json DataOf(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="flame">)";
  const size_t from = page.find(begin) + begin.size();
  return testing_support::ParseJson(page.substr(from, page.find("</script>", from) - from));
}

// As the page's script puts them together again.
std::vector<std::pair<FoldedStack, std::pair<int, int>>> StacksOf(const nlohmann::json& data) {
  std::vector<std::pair<FoldedStack, std::pair<int, int>>> stacks;
  FoldedStack stack;
  for (const auto& step : data["stacks"]) {
    stack.resize(step[0].get<size_t>());
    for (const auto& text : step[1]) stack.push_back(data["texts"][text.get<size_t>()]);
    stacks.push_back({stack, {step[2].get<int>(), step[3].get<int>()}});
  }
  return stacks;
}

TEST(FlamePageTest, HasEveryStack) {
  const FoldedStacks stacks = {
      {{"a", "b"}, 1}, {{"a", "b", "c"}, 2}, {{"a", "d", "c"}, 3}, {{"e"}, 4}};
  const std::string page = FlamePage(stacks, FlameKind::kOn, "x.fxt", nullptr, "");
  const auto data = DataOf(page);
  EXPECT_EQ(data["unit"], "samples");
  EXPECT_EQ(data.count("base"), 0u);
  const auto read = StacksOf(data);
  ASSERT_EQ(read.size(), stacks.size());
  for (const auto& [stack, counts] : read) {
    EXPECT_EQ(counts.first, 0);
    EXPECT_EQ(uint64_t(counts.second), stacks.at(stack));
  }
  EXPECT_EQ(page.find("src="), std::string::npos);
}

TEST(FlamePageTest, ComparisonHasGoneStacks) {
  const FoldedStacks base = {{{"a", "gone"}, 9}, {{"a", "b"}, 2}};
  const FoldedStacks stacks = {{{"a", "b"}, 1}, {{"a", "new"}, 3}};
  const auto data = DataOf(FlamePage(stacks, FlameKind::kOff, "x.fxt", &base, "old.fxt"));
  EXPECT_EQ(data["base"], "old.fxt");
  const auto read = StacksOf(data);
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0], (std::pair{FoldedStack{"a", "b"}, std::pair{2, 1}}));
  EXPECT_EQ(read[1], (std::pair{FoldedStack{"a", "gone"}, std::pair{9, 0}}));
  EXPECT_EQ(read[2], (std::pair{FoldedStack{"a", "new"}, std::pair{0, 3}}));
}

// The rates are those of the frames in the order of the steps, behind that of the root.
TEST(FlamePageTest, TestedFramesHaveTheirRates) {
  const FoldedStacks base = {{{"a", "b"}, 2}, {{"a", "gone"}, 9}};
  const FoldedStacks stacks = {{{"a", "b", "c"}, 1}};
  const std::vector<double> q = {0.5, 0.25, 1, 0.125, 0.01};
  const auto data = DataOf(FlamePage(stacks, FlameKind::kOff, "new", &base, "base", &q));
  EXPECT_EQ(data["q"], 0.5);
  EXPECT_EQ(data["least_q"], 0.02);
  ASSERT_EQ(data["stacks"].size(), 3u);
  EXPECT_EQ(data["stacks"][0][4], (std::vector<double>{0.25, 1}));
  EXPECT_EQ(data["stacks"][1][4], std::vector<double>{0.125});
  EXPECT_EQ(data["stacks"][2][4], std::vector<double>{0.01});
}

TEST(FlamePageTest, NamesDoNotEndTheScript) {
  const FoldedStacks stacks = {{{"</script><b>"}, 1}};
  const auto data = DataOf(FlamePage(stacks, FlameKind::kOn, "x.fxt", nullptr, ""));
  EXPECT_EQ(data["texts"][0], "</script><b>");
}

}  // namespace
}  // namespace analyze
