// SPDX-License-Identifier: BSD-2-Clause
#include "schema/stack_end_counts.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "schema/stack_end.h"

namespace schema {

void StackEndCounts::Add(uint8_t end, std::string_view file) {
  constexpr size_t kMaxFiles = 4096;
  constexpr size_t kMaxName = 255;  // of a file on Linux
  if (end >= ends_.size()) return;
  ++ends_[end];
  if (file.empty() || file.size() > kMaxName || kStackEnds[end].of_file.empty()) return;
  std::pair key(end, std::string(file));
  if (files_.size() < kMaxFiles || files_.contains(key)) ++files_[std::move(key)];
}

uint64_t StackEndCounts::all() const {
  return std::accumulate(ends_.begin() + 1, ends_.end(), uint64_t{0});
}

std::vector<std::pair<std::string, uint64_t>> StackEndCounts::Reasons() const {
  std::vector<std::pair<std::string, uint64_t>> reasons;
  std::array<uint64_t, FXR_STACK_ENDS> left = ends_;
  for (const auto& [key, count] : files_) {
    left[key.first] -= count;
    reasons.emplace_back(key.second + " " + std::string(kStackEnds[key.first].of_file), count);
  }
  for (size_t i = 1; i < left.size(); ++i) {
    if (i != FXR_STACK_END_ENTRY && left[i] != 0)
      reasons.emplace_back(kStackEnds[i].reason, left[i]);
  }
  std::ranges::stable_sort(reasons, std::greater{}, &std::pair<std::string, uint64_t>::second);
  return reasons;
}

std::string StackEndCounts::DescribeReasons(size_t most) const {
  std::string text;
  const auto reasons = Reasons();
  for (size_t i = 0; i < std::min(reasons.size(), most); ++i) {
    if (i > 0) text += ", ";
    text += reasons[i].first + " (" + std::to_string(reasons[i].second) + ")";
  }
  if (reasons.size() > most) text += ", ...";
  return text;
}

}  // namespace schema
