// SPDX-License-Identifier: BSD-2-Clause
#include "measure/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace measure {
namespace {

constexpr uint64_t kPerOctave = uint64_t{1} << Histogram::kBucketBits;

}  // namespace

uint32_t Histogram::BucketOf(uint64_t value) {
  if (value < kPerOctave) return static_cast<uint32_t>(value);
  const auto octave = static_cast<unsigned>(std::bit_width(value)) - 1 - kBucketBits;
  return static_cast<uint32_t>((uint64_t{octave} << kBucketBits) + (value >> octave));
}

uint64_t Histogram::LeastOf(uint32_t bucket) {
  if (bucket < 2 * kPerOctave) return bucket;
  const unsigned octave = (bucket >> kBucketBits) - 1;
  return (kPerOctave + (bucket & (kPerOctave - 1))) << octave;
}

uint64_t Histogram::MostOf(uint32_t bucket) {
  if (bucket < 2 * kPerOctave) return bucket;
  const unsigned octave = (bucket >> kBucketBits) - 1;
  return LeastOf(bucket) + ((uint64_t{1} << octave) - 1);
}

uint64_t Histogram::MiddleOf(uint32_t bucket) {
  const uint64_t least = LeastOf(bucket);
  return least + (MostOf(bucket) - least) / 2;
}

void Histogram::AddToBucket(uint32_t bucket, uint64_t count) {
  if (count == 0) return;
  buckets_[bucket] += count;
  count_ += count;
}

void Histogram::Merge(const Histogram& other) {
  for (const auto& [bucket, count] : other.buckets_) AddToBucket(bucket, count);
}

uint64_t Histogram::Quantile(double q) const {
  if (count_ == 0) return 0;
  // The rank of the value, 1 for the least one.
  const double rank = std::max(1.0, std::ceil(q * static_cast<double>(count_)));
  uint64_t seen = 0;
  for (const auto& [bucket, count] : buckets_) {
    seen += count;
    if (static_cast<double>(seen) >= rank) return MiddleOf(bucket);
  }
  return MiddleOf(buckets_.rbegin()->first);
}

uint64_t Histogram::CountAbove(uint64_t value) const {
  uint64_t sum = 0;
  for (auto at = buckets_.rbegin(); at != buckets_.rend() && MiddleOf(at->first) > value; ++at) {
    sum += at->second;
  }
  return sum;
}

double Histogram::ExcessAbove(uint64_t value) const {
  double sum = 0;
  for (auto at = buckets_.rbegin(); at != buckets_.rend() && MiddleOf(at->first) > value; ++at) {
    sum += static_cast<double>(MiddleOf(at->first) - value) * static_cast<double>(at->second);
  }
  return sum;
}

double Histogram::MeanLog(double floor) const {
  if (count_ == 0) return 0;
  double sum = 0;
  for (const auto& [bucket, count] : buckets_) {
    sum += std::log(static_cast<double>(MiddleOf(bucket)) + floor) * static_cast<double>(count);
  }
  return sum / static_cast<double>(count_);
}

}  // namespace measure
