// SPDX-License-Identifier: BSD-2-Clause
// How often which length of time was seen.
#pragma once

#include <array>
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
  // The value that stands for all of a bucket: its middle.
  static uint64_t MiddleOf(uint32_t bucket);
  // Buckets are below this.
  static constexpr uint32_t kBuckets = (64 - kBucketBits + 1) << kBucketBits;

  void Add(uint64_t value) {
    const uint32_t bucket = BucketOf(value);
    const size_t octave = bucket >> kBucketBits;
    if (number_[octave] == 0) [[unlikely]] {
      MakePage(octave);
    }
    const size_t page = number_[octave] - size_t{1};
    uint8_t& few = few_[page].of[bucket & kMask];
    if (++few == 0) [[unlikely]] {
      ManyOf(page)[bucket & kMask] += 256;
    }
    ++count_;
  }
  void Add(uint64_t value, uint64_t count) { AddToBucket(BucketOf(value), count); }
  // `bucket` below kBuckets.
  void AddToBucket(uint32_t bucket, uint64_t count);
  void Merge(const Histogram& other);

  uint64_t count() const { return count_; }
  bool empty() const { return count_ == 0; }
  // Bucket and count, in ascending order; no count is 0. Made anew by each call.
  std::vector<std::pair<uint32_t, uint64_t>> buckets() const;

  // For drawing: 8 buckets put together, 8 an octave; what is empty is left out.
  struct Bar {
    uint64_t least = 0;
    uint64_t most = 0;
    uint64_t count = 0;
  };
  std::vector<Bar> Bars() const;

  // The value below or at which the fraction `q` (0 to 1) of all values lies: the middle of its
  // bucket. 0 when empty.
  uint64_t Quantile(double q) const;
  // How many values lie above `value`, buckets counted by their middle.
  uint64_t CountAbove(uint64_t value) const;
  // The sum of (x - value) over the values above `value`, by their middles, ns.
  double ExcessAbove(uint64_t value) const;
  // The mean of log(x + floor), by middles. 0 when empty.
  double MeanLog(double floor) const;

  bool operator==(const Histogram& other) const {
    return count_ == other.count_ && buckets() == other.buckets();
  }

 private:
  static constexpr size_t kPage = size_t{1} << kBucketBits;
  static constexpr uint32_t kMask = kPage - 1;
  static constexpr size_t kOctaves = kBuckets >> kBucketBits;
  // The buckets of an octave, in one cache line: their counts modulo 256. There are so many
  // histograms that those of full width would be beyond the cache. What is carried over is in
  // many_. Only those octaves that have something have a page.
  struct alignas(kPage) Few {
    std::array<uint8_t, kPage> of{};
  };

  void MakePage(size_t octave);
  // What was carried over from a page, made if it is not there.
  std::vector<uint64_t>& ManyOf(size_t page);
  void AddToPage(size_t page, size_t at, uint64_t count);
  // Calls `tell(bucket, count)` in ascending order; no count is 0.
  template <typename Tell>
  void ForEach(Tell&& tell) const {
    for (size_t octave = 0; octave < kOctaves; ++octave) {
      if (number_[octave] == 0) continue;
      const size_t page = number_[octave] - size_t{1};
      const bool has_many = page < many_.size() && !many_[page].empty();
      for (size_t i = 0; i < kPage; ++i) {
        const uint64_t count = few_[page].of[i] + (has_many ? many_[page][i] : 0);
        if (count != 0) tell(static_cast<uint32_t>((octave << kBucketBits) + i), count);
      }
    }
  }

  std::vector<Few> few_;  // in order of appearance
  uint64_t count_ = 0;
  std::array<uint8_t, kOctaves> number_{};   // of the page, from 1; 0 none
  std::vector<std::vector<uint64_t>> many_;  // by page: multiples of 256; empty, or kPage
};

}  // namespace measure
