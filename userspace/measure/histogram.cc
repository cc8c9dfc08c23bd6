// SPDX-License-Identifier: BSD-2-Clause
#include "measure/histogram.h"

#include <algorithm>
#include <cmath>

namespace measure {
namespace {

constexpr uint64_t kPerOctave = uint64_t{1} << Histogram::kBucketBits;

}  // namespace

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

void Histogram::MakePage(size_t octave) {
  // Not the doubling of a vector: there are many histograms, of few pages.
  if (few_.size() == few_.capacity()) few_.reserve(few_.size() + 1 + few_.size() / 4);
  few_.emplace_back();
  number_[octave] = static_cast<uint8_t>(few_.size());
}

std::vector<uint64_t>& Histogram::ManyOf(size_t page) {
  if (page >= many_.size()) many_.resize(few_.size());
  if (many_[page].empty()) many_[page].resize(kPage);
  return many_[page];
}

void Histogram::AddToPage(size_t page, size_t at, uint64_t count) {
  const uint64_t sum = few_[page].of[at] + count;
  few_[page].of[at] = static_cast<uint8_t>(sum);
  if (sum >= 256) ManyOf(page)[at] += sum & ~uint64_t{255};
}

void Histogram::AddToBucket(uint32_t bucket, uint64_t count) {
  if (count == 0) return;
  const size_t octave = bucket >> kBucketBits;
  if (number_[octave] == 0) MakePage(octave);
  AddToPage(number_[octave] - size_t{1}, bucket & kMask, count);
  count_ += count;
}

void Histogram::Merge(const Histogram& other) {
  // Of itself: adding to a bucket changes no other one.
  other.ForEach([&](uint32_t bucket, uint64_t count) { AddToBucket(bucket, count); });
}

std::vector<std::pair<uint32_t, uint64_t>> Histogram::buckets() const {
  std::vector<std::pair<uint32_t, uint64_t>> all;
  ForEach([&](uint32_t bucket, uint64_t count) { all.emplace_back(bucket, count); });
  return all;
}

std::vector<Histogram::Bar> Histogram::Bars() const {
  constexpr uint32_t kTogether = 8;
  std::vector<Bar> bars;
  uint32_t last = UINT32_MAX;
  for (const auto& [bucket, count] : buckets()) {
    if (const uint32_t bar = bucket / kTogether; bar != last) {
      bars.push_back({LeastOf(bar * kTogether), MostOf(bar * kTogether + kTogether - 1), 0});
      last = bar;
    }
    bars.back().count += count;
  }
  return bars;
}

uint64_t Histogram::Quantile(double q) const {
  if (count_ == 0) return 0;
  // The rank of the value, 1 for the least one.
  const double rank = std::max(1.0, std::ceil(q * static_cast<double>(count_)));
  uint64_t seen = 0;
  uint32_t last = 0;
  for (const auto& [bucket, count] : buckets()) {
    seen += count;
    last = bucket;
    if (static_cast<double>(seen) >= rank) break;
  }
  return MiddleOf(last);
}

uint64_t Histogram::CountAbove(uint64_t value) const {
  uint64_t sum = 0;
  for (const auto& [bucket, count] : buckets()) {
    if (MiddleOf(bucket) > value) sum += count;
  }
  return sum;
}

double Histogram::ExcessAbove(uint64_t value) const {
  double sum = 0;
  for (const auto& [bucket, count] : buckets()) {
    const uint64_t middle = MiddleOf(bucket);
    if (middle > value) sum += static_cast<double>(middle - value) * static_cast<double>(count);
  }
  return sum;
}

double Histogram::MeanLog(double floor) const {
  if (count_ == 0) return 0;
  double sum = 0;
  for (const auto& [bucket, count] : buckets()) {
    sum += std::log(static_cast<double>(MiddleOf(bucket)) + floor) * static_cast<double>(count);
  }
  return sum / static_cast<double>(count_);
}

}  // namespace measure
