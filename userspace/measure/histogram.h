// SPDX-License-Identifier: BSD-2-Clause
// How often which length of time was seen.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace measure {

// Counts of values (ns) in log-linear buckets: those below 64 have one each, and above that every
// octave has 64 of equal width, so that the middle of a bucket is at most 0.8% away from what is in
// it. Merging adds the counts: the result is what counting everything in one would have given.
class Histogram {
 public:
  static constexpr unsigned kBucketBits = 6;  // 64 buckets an octave
  // The bucket of a value, and the least and the largest value of a bucket.
  static uint32_t BucketOf(uint64_t value) {
    if (value < (uint64_t{1} << kBucketBits)) return static_cast<uint32_t>(value);
    const auto octave = static_cast<unsigned>(std::bit_width(value)) - 1 - kBucketBits;
    return static_cast<uint32_t>((uint64_t{octave} << kBucketBits) + (value >> octave));
  }
  static uint64_t LeastOf(uint32_t bucket);
  static uint64_t MostOf(uint32_t bucket);
  // The value that represents a bucket: its middle.
  static uint64_t MiddleOf(uint32_t bucket);
  // Buckets are below this.
  static constexpr uint32_t kBuckets = (64 - kBucketBits + 1) << kBucketBits;

  [[gnu::always_inline]] void Add(uint64_t value) {
    const uint32_t bucket = BucketOf(value);
    // Below base_ it wraps around.
    const uint32_t at = bucket - base_;
    if (at >= few_.size()) [[unlikely]] {
      return AddToBucket(bucket, 1);
    }
    if (++few_[at] == 0) [[unlikely]] {
      Carry(bucket, 256);
    }
    ++count_;
  }
  void Add(uint64_t value, uint64_t count) { AddToBucket(BucketOf(value), count); }
  // `bucket` below kBuckets.
  void AddToBucket(uint32_t bucket, uint64_t count);
  void Merge(const Histogram& other);
  // Takes out values that are counted in `part` too.
  void Remove(const Histogram& part);

  uint64_t count() const { return count_; }
  bool empty() const { return count_ == 0; }
  // Calls `tell(bucket, count)` in ascending order; no count is 0.
  template <typename Tell>
  void ForEach(Tell&& tell) const {
    auto many = many_.begin();
    for (uint32_t i = 0; i < few_.size(); ++i) {
      uint64_t count = few_[i];
      if (many != many_.end() && many->first == base_ + i) count += (many++)->second;
      if (count != 0) tell(base_ + i, count);
    }
  }
  // The same as a list; each call makes it again.
  std::vector<std::pair<uint32_t, uint64_t>> buckets() const;

  // For drawing: 8 buckets merged, 8 an octave, without empty ones.
  struct Bar {
    uint64_t least = 0;
    uint64_t most = 0;
    uint64_t count = 0;
  };
  std::vector<Bar> Bars() const;

  // The value below or at which the fraction `q` (0 to 1) of all values lies: the middle of its
  // bucket. 0 when empty.
  uint64_t Quantile(double q) const;
  // Number of values above `value`; a bucket counts by its middle.
  uint64_t CountAbove(uint64_t value) const;
  // The sum of (x - value) over the values above `value`, by their middles, ns.
  double ExcessAbove(uint64_t value) const;
  // Mean of log(x + floor), with the middle of each bucket as x, and the sum of the squared
  // distances from it. 0 if empty.
  struct Logs {
    double mean = 0;
    double squares = 0;
  };
  Logs LogsOf(double floor) const;
  // Standard deviation, by the middles of buckets: the standard deviation of a sample. 0 of fewer
  // than two.
  double StandardDeviation() const;

  bool operator==(const Histogram& other) const {
    return count_ == other.count_ && buckets() == other.buckets();
  }

 private:
  static constexpr uint32_t kOctave = uint32_t{1} << kBucketBits;

  // Makes few_ reach `bucket`.
  void Reach(uint32_t bucket);
  void Carry(uint32_t bucket, uint64_t count);

  // Counts modulo 256 of the octaves from the smallest to the largest value, one byte per bucket.
  // With wider counts, the many histograms would not fit the cache.
  std::vector<uint8_t> few_;
  uint64_t count_ = 0;
  uint32_t base_ = 0;  // the bucket of few_[0], the first of its octave
  // Carries, multiples of 256, in ascending order of their buckets.
  std::vector<std::pair<uint32_t, uint64_t>> many_;
};

}  // namespace measure
