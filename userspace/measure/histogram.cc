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

Histogram::Page& Histogram::MakePage(size_t octave) {
  // Not the doubling of a vector: there are many histograms, of few pages.
  if (pages_.size() == pages_.capacity()) pages_.reserve(pages_.size() + 1 + pages_.size() / 4);
  pages_.emplace_back();
  number_[octave] = static_cast<uint8_t>(pages_.size());
  return pages_.back();
}

void Histogram::Merge(const Histogram& other) {
  for (size_t octave = 0; octave < kOctaves; ++octave) {
    const Page* from = other.PageOf(octave);
    if (from == nullptr) continue;
    Page& to = number_[octave] == 0 ? MakePage(octave) : pages_[number_[octave] - 1];
    // Of itself: making a page moved nothing, since all of its pages are there.
    for (size_t i = 0; i < to.size(); ++i) to[i] += (*from)[i];
  }
  count_ += other.count_;
}

std::vector<std::pair<uint32_t, uint64_t>> Histogram::buckets() const {
  std::vector<std::pair<uint32_t, uint64_t>> all;
  for (size_t octave = 0; octave < kOctaves; ++octave) {
    const Page* page = PageOf(octave);
    if (page == nullptr) continue;
    for (size_t i = 0; i < page->size(); ++i) {
      if ((*page)[i] == 0) continue;
      all.emplace_back(static_cast<uint32_t>((octave << kBucketBits) + i), (*page)[i]);
    }
  }
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
