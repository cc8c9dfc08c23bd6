// SPDX-License-Identifier: BSD-2-Clause
#include "query/concurrency.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace query {
namespace {

constexpr unsigned kDigitBits = 11;
constexpr size_t kDigits = size_t{1} << kDigitBits;

// By digits from the lowest on: times of a trace differ in few of them.
void Sort(std::vector<int64_t>& values, std::vector<int64_t>& other) {
  if (std::is_sorted(values.begin(), values.end())) return;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const auto base = static_cast<uint64_t>(*least);
  const uint64_t range = static_cast<uint64_t>(*most) - base;
  other.resize(values.size());
  for (unsigned shift = 0; shift < 64 && range >> shift != 0; shift += kDigitBits) {
    std::array<size_t, kDigits> places{};
    const auto digit = [&](int64_t value) {
      return (static_cast<uint64_t>(value) - base) >> shift & (kDigits - 1);
    };
    for (const int64_t value : values) ++places[digit(value)];
    size_t place = 0;
    for (size_t& each : places) each = std::exchange(place, place + each);
    for (const int64_t value : values) other[places[digit(value)]++] = value;
    values.swap(other);
  }
}

}  // namespace

bool Concurrency::Add(int64_t begin, int64_t length) {
  int64_t end = 0;
  if (begins_.size() == kMaxIntervals || __builtin_add_overflow(begin, length, &end)) return false;
  begins_.push_back(begin);
  ends_.push_back(end);
  return true;
}

std::string Concurrency::TakeJson() {
  std::vector<int64_t> other;
  Sort(begins_, other);
  Sort(ends_, other);
  std::vector<uint64_t> ns(1);  // by level
  size_t begun = 0;
  int64_t last = begins_.empty() ? 0 : begins_[0];
  for (size_t ended = 0; ended < ends_.size();) {
    const bool is_begin = begun < begins_.size() && begins_[begun] <= ends_[ended];
    const int64_t time = is_begin ? begins_[begun] : ends_[ended];
    const size_t level = begun - ended;
    if (level >= ns.size()) ns.resize(level + 1);
    ns[level] += static_cast<uint64_t>(time) - static_cast<uint64_t>(last);
    last = time;
    ++(is_begin ? begun : ended);
  }
  begins_ = {};
  ends_ = {};
  std::string json;
  for (size_t level = 0; level < ns.size(); ++level) {
    if (ns[level] == 0) continue;
    json += fmt::format(R"({}{{"level":{},"ns":{}}})", json.empty() ? '[' : ',', level, ns[level]);
  }
  return json.empty() ? "[]" : json + ']';
}

}  // namespace query
