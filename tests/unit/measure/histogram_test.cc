// SPDX-License-Identifier: BSD-2-Clause
#include "measure/histogram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace measure {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(HistogramTest, BarsHoldEveryValueAndDoNotOverlap) {
  std::mt19937_64 random(2);
  Histogram histogram;
  for (int i = 0; i < 1000; ++i) histogram.Add(random() >> (random() % 64));
  uint64_t count = 0;
  uint64_t behind = 0;
  for (const Histogram::Bar& bar : histogram.Bars()) {
    EXPECT_GE(bar.least, behind);
    EXPECT_GT(bar.most, bar.least);
    EXPECT_GT(bar.count, 0u);
    behind = bar.most;
    count += bar.count;
  }
  EXPECT_EQ(count, histogram.count());
  EXPECT_THAT(Histogram().Bars(), IsEmpty());
}

TEST(HistogramTest, EveryValueIsInABucketWhoseMiddleIsNear) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const uint64_t value = random() >> (random() % 64);
    const uint32_t bucket = Histogram::BucketOf(value);
    ASSERT_LT(bucket, Histogram::kBuckets);
    ASSERT_LE(Histogram::LeastOf(bucket), value);
    ASSERT_GE(Histogram::MostOf(bucket), value);
    const double off =
        std::abs(static_cast<double>(Histogram::MiddleOf(bucket)) - static_cast<double>(value));
    ASSERT_LE(off, 0.008 * static_cast<double>(value)) << value;
  }
  EXPECT_EQ(Histogram::BucketOf(UINT64_MAX), Histogram::kBuckets - 1);
  EXPECT_EQ(Histogram::MostOf(Histogram::kBuckets - 1), UINT64_MAX);
}

TEST(HistogramTest, BucketsFollowOneAnother) {
  for (uint32_t bucket = 1; bucket < Histogram::kBuckets; ++bucket) {
    ASSERT_EQ(Histogram::LeastOf(bucket), Histogram::MostOf(bucket - 1) + 1);
  }
}

TEST(HistogramTest, BucketsAreTheCountsInOrder) {
  Histogram histogram;
  histogram.Add(1'000'000);
  histogram.Add(3, 2);
  histogram.Add(1'000'001);
  histogram.AddToBucket(7, 0);
  EXPECT_EQ(histogram.count(), 4u);
  EXPECT_THAT(histogram.buckets(),
              ElementsAre(Pair(3, 2), Pair(Histogram::BucketOf(1'000'000), 2)));
}

TEST(HistogramTest, ManyInABucketAreCountedExactly) {
  Histogram one_by_one;
  Histogram at_once;
  Histogram merged;
  for (const uint64_t count : {uint64_t{1}, uint64_t{255}, uint64_t{256}, uint64_t{1000}}) {
    const uint64_t value = 1'000'000 + count * 100'000;
    for (uint64_t i = 0; i < count; ++i) one_by_one.Add(value);
    at_once.Add(value, count);
    Histogram part;
    part.Add(value, count);
    merged.Merge(part);
    EXPECT_EQ(part.buckets().front().second, count);
  }
  EXPECT_EQ(one_by_one, at_once);
  EXPECT_EQ(merged, at_once);
  constexpr uint64_t kHuge = uint64_t{1} << 60;
  at_once.Add(7, kHuge);
  at_once.Add(7);
  EXPECT_THAT(at_once.buckets().front(), Pair(7, kHuge + 1));
}

TEST(HistogramTest, MergingIsCountingInOne) {
  std::mt19937_64 random(2);
  Histogram all;
  Histogram parts[3];
  for (int i = 0; i < 10'000; ++i) {
    const uint64_t value = random() >> (random() % 64);
    all.Add(value);
    parts[i % 3].Add(value);
  }
  Histogram left = parts[0];
  left.Merge(parts[1]);
  left.Merge(parts[2]);
  Histogram right = parts[2];
  right.Merge(parts[1]);
  right.Merge(parts[0]);
  EXPECT_EQ(left, all);
  EXPECT_EQ(right, all);
  left.Merge(left);
  EXPECT_EQ(left.count(), 20'000u);
  EXPECT_EQ(left.Quantile(0.5), all.Quantile(0.5));
}

TEST(HistogramTest, MergingWithItselfDoublesWhatFillsAByte) {
  Histogram histogram;
  for (const uint64_t count : {200, 3, 129}) histogram.Add(1'000'000 + count * 100'000, count);
  histogram.Add(5, 255);  // below all of them
  histogram.Merge(histogram);
  EXPECT_THAT(histogram.buckets(),
              ElementsAre(Pair(5, 510), Pair(Histogram::BucketOf(1'300'000), 6),
                          Pair(Histogram::BucketOf(13'900'000), 258),
                          Pair(Histogram::BucketOf(21'000'000), 400)));
}

TEST(HistogramTest, RemovingUndoesMerging) {
  Histogram all;
  Histogram part;
  for (uint64_t i = 0; i < 1000; ++i) {
    all.Add(i * i);
    all.Add(70);
    part.Add(70);
    if (i % 3 == 0) part.Add(i * 1000);
  }
  const Histogram before = all;
  all.Merge(part);
  all.Remove(part);
  EXPECT_EQ(all, before);
  // Removing absent values does not make counts negative.
  part.Remove(before);
  EXPECT_EQ(part.CountAbove(1'000'000), 0u);
  EXPECT_LT(part.count(), 334u);
}

TEST(HistogramTest, QuantilesAreThoseOfTheValues) {
  std::mt19937_64 random(3);
  std::vector<uint64_t> values(5000);
  Histogram histogram;
  for (uint64_t& value : values) {
    value = static_cast<uint64_t>(std::exp(std::normal_distribution<>(10, 2)(random)));
    histogram.Add(value);
  }
  std::sort(values.begin(), values.end());
  for (const double q : {0.0, 0.1, 0.5, 0.9, 0.99, 1.0}) {
    const auto rank = static_cast<size_t>(std::max(1.0, std::ceil(q * 5000)));
    const auto exact = static_cast<double>(values[rank - 1]);
    EXPECT_NEAR(static_cast<double>(histogram.Quantile(q)), exact, 1 + 0.008 * exact) << q;
  }
}

TEST(HistogramTest, TailsAreCountedAboveAThreshold) {
  Histogram histogram;
  histogram.Add(10, 5);
  histogram.Add(20, 3);
  histogram.Add(60);
  EXPECT_EQ(histogram.CountAbove(9), 9u);
  EXPECT_EQ(histogram.CountAbove(10), 4u);
  EXPECT_EQ(histogram.CountAbove(60), 0u);
  EXPECT_DOUBLE_EQ(histogram.ExcessAbove(10), 3 * 10 + 50);
  const double mean = (5 * std::log(10) + 3 * std::log(20) + std::log(60)) / 9;
  const auto square = [&](double x) { return std::pow(std::log(x) - mean, 2); };
  EXPECT_DOUBLE_EQ(histogram.LogsOf(0).mean, mean);
  EXPECT_DOUBLE_EQ(histogram.LogsOf(0).squares, 5 * square(10) + 3 * square(20) + square(60));
}

TEST(HistogramTest, TheDeviationIsThatOfTheValues) {
  Histogram histogram;
  for (const uint64_t value : {10, 20, 30, 40}) histogram.Add(value);
  EXPECT_NEAR(histogram.StandardDeviation(), 12.91, 0.005);
  // Far from 0, where squares of the values themselves have no digits left for it.
  Histogram far;
  const uint64_t hour = 3'600'000'000'000;
  for (const uint64_t value : {hour, 2 * hour}) far.Add(value, 1000);
  EXPECT_NEAR(far.StandardDeviation(), static_cast<double>(hour) / 2, 0.02 * hour);
  Histogram one;
  one.Add(7);
  EXPECT_EQ(one.StandardDeviation(), 0);
}

TEST(HistogramTest, AnEmptyOneHasNothing) {
  const Histogram histogram;
  EXPECT_TRUE(histogram.empty());
  EXPECT_THAT(histogram.buckets(), IsEmpty());
  EXPECT_EQ(histogram.Quantile(0.5), 0u);
  EXPECT_EQ(histogram.CountAbove(0), 0u);
  EXPECT_EQ(histogram.LogsOf(1).mean, 0);
  EXPECT_EQ(histogram.StandardDeviation(), 0);
}

}  // namespace
}  // namespace measure
