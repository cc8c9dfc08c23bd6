// SPDX-License-Identifier: BSD-2-Clause
#include "measure/histogram.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

void Histogram::Reach(uint32_t bucket) {
  const uint32_t octave = bucket & ~(kOctave - 1);
  if (few_.empty()) base_ = octave;
  const uint32_t first = std::min(base_, octave);
  const size_t end = std::max<size_t>(base_ + few_.size(), octave + kOctave);
  // Not the doubling of a vector: there are many histograms, of few octaves.
  std::vector<uint8_t> wider(end - first);
  std::copy(few_.begin(), few_.end(), wider.begin() + (base_ - first));
  few_.swap(wider);
  base_ = first;
}

void Histogram::Carry(uint32_t bucket, uint64_t count) {
  const auto at = std::lower_bound(
      many_.begin(), many_.end(), bucket,
      [](const std::pair<uint32_t, uint64_t>& one, uint32_t than) { return one.first < than; });
  if (at != many_.end() && at->first == bucket) {
    at->second += count;
  } else {
    many_.insert(at, {bucket, count});
  }
}

void Histogram::AddToBucket(uint32_t bucket, uint64_t count) {
  if (count == 0) return;
  if (bucket - base_ >= few_.size()) Reach(bucket);
  uint8_t& few = few_[bucket - base_];
  const uint64_t sum = few + count;
  few = static_cast<uint8_t>(sum);
  if (sum >= 256) Carry(bucket, sum & ~uint64_t{255});
  count_ += count;
}

void Histogram::Merge(const Histogram& other) {
  // A carry moves the positions of later entries.
  if (&other == this) return Merge(Histogram(other));
  other.ForEach([&](uint32_t bucket, uint64_t count) { AddToBucket(bucket, count); });
}

void Histogram::Remove(const Histogram& part) {
  const auto taken = part.buckets();
  auto next = taken.begin();
  Histogram left;
  ForEach([&](uint32_t bucket, uint64_t count) {
    while (next != taken.end() && next->first < bucket) ++next;
    const bool same = next != taken.end() && next->first == bucket;
    left.AddToBucket(bucket, count - (same ? std::min(count, next->second) : 0));
  });
  *this = std::move(left);
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
  bool found = false;
  ForEach([&](uint32_t bucket, uint64_t count) {
    if (found) return;
    seen += count;
    last = bucket;
    found = static_cast<double>(seen) >= rank;
  });
  return MiddleOf(last);
}

uint64_t Histogram::CountAbove(uint64_t value) const {
  uint64_t sum = 0;
  ForEach([&](uint32_t bucket, uint64_t count) {
    if (MiddleOf(bucket) > value) sum += count;
  });
  return sum;
}

double Histogram::ExcessAbove(uint64_t value) const {
  double sum = 0;
  ForEach([&](uint32_t bucket, uint64_t count) {
    const uint64_t middle = MiddleOf(bucket);
    if (middle > value) sum += static_cast<double>(middle - value) * static_cast<double>(count);
  });
  return sum;
}

Histogram::Logs Histogram::LogsOf(double floor) const {
  if (count_ == 0) return {};
  // Each logarithm is needed twice.
  std::vector<std::pair<double, double>> logs;
  Logs sums;
  ForEach([&](uint32_t bucket, uint64_t count) {
    logs.emplace_back(std::log(static_cast<double>(MiddleOf(bucket)) + floor), count);
    sums.mean += logs.back().first * logs.back().second;
  });
  sums.mean /= static_cast<double>(count_);
  for (const auto& [log, count] : logs) {
    const double distance = log - sums.mean;
    sums.squares += distance * distance * count;
  }
  return sums;
}

double Histogram::StandardDeviation() const {
  if (count_ < 2) return 0;
  double sum = 0;
  ForEach([&](uint32_t bucket, uint64_t count) {
    sum += static_cast<double>(MiddleOf(bucket)) * static_cast<double>(count);
  });
  // In two passes: values may be large and lie close together.
  const double mean = sum / static_cast<double>(count_);
  double squares = 0;
  ForEach([&](uint32_t bucket, uint64_t count) {
    const double distance = static_cast<double>(MiddleOf(bucket)) - mean;
    squares += distance * distance * static_cast<double>(count);
  });
  return std::sqrt(squares / static_cast<double>(count_ - 1));
}

}  // namespace measure
