// SPDX-License-Identifier: BSD-2-Clause
#include "query/concurrency.h"

#include <fmt/format.h>

#include "query/time_sort.h"

namespace query {
bool Concurrency::Add(int64_t begin, int64_t length) {
  int64_t end = 0;
  if (begins_.size() == kMaxIntervals || __builtin_add_overflow(begin, length, &end)) return false;
  begins_.push_back(begin);
  ends_.push_back(end);
  return true;
}

std::string Concurrency::TakeJson() {
  SortTimes(begins_);
  SortTimes(ends_);
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
