// SPDX-License-Identifier: BSD-2-Clause
#include "sort/run_sorter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace sort {
namespace {

using Items = std::vector<std::pair<int64_t, std::string>>;

void Add(RunSorter& sorter, int64_t time, const std::string& text) {
  ASSERT_TRUE(sorter.Add(time, std::as_bytes(std::span(text))));
}

Items Drain(RunSorter& sorter) {
  Items items;
  EXPECT_TRUE(sorter.Finish());
  RunSorter::Item item;
  for (;;) {
    const auto next = sorter.Next(item);
    EXPECT_TRUE(next);
    if (!next || !*next) return items;
    items.emplace_back(item.time, std::string(reinterpret_cast<const char*>(item.bytes.data()),
                                              item.bytes.size()));
  }
}

TEST(RunSorterTest, AcceptsNoItems) {
  RunSorter sorter;
  EXPECT_TRUE(Drain(sorter).empty());
}

TEST(RunSorterTest, KeepsTheOrderOfEqualTimes) {
  for (const size_t memory : {RunSorter::kDefaultMemory, size_t{1}}) {
    RunSorter sorter(memory);
    std::mt19937 random(1);
    Items expected;
    for (int i = 0; i < 20'000; ++i) {
      const auto time = static_cast<int64_t>(random() % 50) - 25;
      const std::string text(random() % 40, static_cast<char>('a' + i % 26));
      expected.emplace_back(time, text);
      Add(sorter, time, text);
    }
    std::stable_sort(expected.begin(), expected.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    EXPECT_EQ(Drain(sorter), expected);
    EXPECT_EQ(sorter.runs() > 1, memory == 1);
  }
}

TEST(RunSorterTest, AcceptsAnyTime) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (const size_t memory : {RunSorter::kDefaultMemory, size_t{1}}) {
    RunSorter sorter(memory);
    std::mt19937_64 random(1);
    Items expected;
    for (int i = 0; i < 20'000; ++i) {
      const auto chosen = static_cast<int64_t>(random() >> random() % 64);
      const int64_t time = i % 100 == 0 ? kLeast : i % 100 == 1 ? kMost : chosen;
      expected.emplace_back(time, std::to_string(i));
      Add(sorter, time, expected.back().second);
    }
    std::stable_sort(expected.begin(), expected.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    EXPECT_EQ(Drain(sorter), expected);
  }
}

TEST(RunSorterTest, SortedInputIsOneRun) {
  RunSorter sorter(1);
  for (int i = 0; i < 20'000; ++i) Add(sorter, i, "item");
  EXPECT_EQ(Drain(sorter).size(), 20'000u);
  EXPECT_EQ(sorter.runs(), 1u);
  EXPECT_EQ(sorter.items(), 20'000u);
}

TEST(RunSorterTest, AcceptsItemsLargerThanABuffer) {
  RunSorter sorter(1);
  const std::string large(60'000, 'x');
  for (int i = 10; i > 0; --i) Add(sorter, i, large);
  const Items items = Drain(sorter);
  ASSERT_EQ(items.size(), 10u);
  for (size_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ(items[i].first, static_cast<int64_t>(i + 1));
    EXPECT_EQ(items[i].second, large);
  }
}

}  // namespace
}  // namespace sort
