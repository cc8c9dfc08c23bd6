// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/path/path_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "fxt/text_map.h"
#include "measure/group_name.h"
#include "measure/waited_object.h"

namespace analyze {
namespace {

using Names = path::PartText::Names;

// Bytes of all rows, and of one of them besides its texts. Parts beyond are those of "(others)".
constexpr size_t kMaxRowBytes = size_t{64} << 20;
constexpr size_t kRowBytes = 256;

// Threads of one name are one, those of several names that differ in digits alone, too.
class ThreadGroups {
 public:
  explicit ThreadGroups(const path::PartText& text) : text_(text) {}

  // The first thread of the group that was asked for.
  facts::ThreadIndex Of(facts::ThreadIndex thread) {
    if (thread == facts::kNoThread) return thread;
    if (thread >= firsts_.size()) firsts_.resize(size_t{thread} + 1, facts::kNoThread);
    facts::ThreadIndex& first = firsts_[thread];
    if (first == facts::kNoThread) {
      const std::string name = text_.Thread(thread, Names::kAlone);
      const auto [group, is_new] =
          groups_.try_emplace(measure::FoldDigits(name), Group{thread, name});
      if (group->second.name != name) group->second.name = group->first;
      first = group->second.first;
    }
    return first;
  }
  std::string NameOf(facts::ThreadIndex thread) const {
    const std::string name = text_.Thread(thread, Names::kAlone);
    const auto group = groups_.find(measure::FoldDigits(name));
    return group == groups_.end() ? name : group->second.name;
  }

 private:
  struct Group {
    facts::ThreadIndex first;
    std::string name;  // folded, where there are several
  };

  path::PartText text_;
  std::vector<facts::ThreadIndex> firsts_;  // by thread; kNoThread: not asked for yet
  fxt::TextMap<Group> groups_;
};

// The key of the row of a part: everything but time and depth, with threads by group.
using RawKey = std::tuple<path::PartKind, facts::ThreadIndex, facts::ThreadIndex,
                          facts::ThreadIndex, path::Label, path::Label, bool>;

struct HashOfKey {
  size_t operator()(const RawKey& key) const {
    const auto& [kind, thread, holder, waiter, what, object, idle] = key;
    uint64_t hash = static_cast<uint64_t>(kind) * 2 + (idle ? 1 : 0);
    for (const uint32_t part : {thread, holder, waiter, what, object}) {
      hash = (hash ^ part) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 32;
    }
    return static_cast<size_t>(hash);
  }
};
// ns. Whole numbers: their sum does not depend on the order.
struct Sums {
  uint64_t median = 0;
  uint64_t slow = 0;
  uint64_t all = 0;
};

RawKey KeyOf(const path::Part& part, ThreadGroups& groups) {
  return {part.kind,
          groups.Of(part.thread),
          groups.Of(part.holder),
          groups.Of(part.waiter),
          part.waited_for.what,
          part.waited_for.object,
          part.idle_cpu};
}

void Count(PathComparison::Side& side, uint64_t duration) {
  side.shortest = side.count == 0 ? duration : std::min(side.shortest, duration);
  side.longest = std::max(side.longest, duration);
  side.mean += static_cast<double>(duration);  // the sum, up to the end
  ++side.count;
}

void Finish(PathComparison::Side& side) {
  if (side.count != 0) side.mean /= static_cast<double>(side.count);
}

}  // namespace

uint64_t QuantileOf(const std::vector<uint64_t>& sorted, double q) {
  if (sorted.empty()) return 0;
  const double rank = std::ceil(q * static_cast<double>(sorted.size()));
  const auto index = static_cast<size_t>(std::max(rank, 1.0)) - 1;
  return sorted[std::min(index, sorted.size() - 1)];
}

PathComparison ComparePaths(const PathSet& set, double slow_from) {
  PathComparison comparison;
  comparison.slow_from = slow_from;
  std::vector<uint64_t> durations;
  for (const auto& entry : set.entries()) durations.push_back(entry.request.duration());
  std::sort(durations.begin(), durations.end());
  comparison.p50 = QuantileOf(durations, 0.5);
  comparison.p90 = QuantileOf(durations, 0.9);
  comparison.p99 = QuantileOf(durations, 0.99);
  const uint64_t low = QuantileOf(durations, 0.4);
  const uint64_t high = QuantileOf(durations, 0.6);
  // The slow ones begin behind the quantile: the slowest hundredth of a thousand are ten.
  const auto slow_count = static_cast<size_t>(
      std::max(1.0, std::floor((1 - slow_from) * static_cast<double>(durations.size()) + 1e-9)));
  const uint64_t slow = durations.empty() ? 0 : durations[durations.size() - slow_count];

  const path::PartText text = set.text();
  ThreadGroups groups(text);
  std::unordered_map<RawKey, Sums, HashOfKey> raw;
  for (const auto& entry : set.entries()) {
    const uint64_t duration = entry.request.duration();
    const bool is_median = duration >= low && duration <= high;
    const bool is_slow = duration >= slow;
    Count(comparison.all, duration);
    if (is_median) Count(comparison.median, duration);
    if (is_slow) Count(comparison.slow, duration);
    for (const path::Part& part : entry.parts()) {
      Sums& sums = raw[KeyOf(part, groups)];
      sums.all += part.length;
      if (is_median) sums.median += part.length;
      if (is_slow) sums.slow += part.length;
    }
  }
  for (auto* side : {&comparison.all, &comparison.median, &comparison.slow}) Finish(*side);

  const auto name_of = [&](facts::ThreadIndex thread) { return groups.NameOf(thread); };
  std::map<std::tuple<path::PartKind, std::string, std::string>, Sums> named;
  size_t free = kMaxRowBytes;
  for (const auto& [key, sums] : raw) {
    path::Part part;
    std::tie(part.kind, part.thread, part.holder, part.waiter, part.waited_for.what,
             part.waited_for.object, part.idle_cpu) = key;
    std::tuple<path::PartKind, std::string, std::string> row = {
        part.kind, name_of(part.thread),
        text.Describe(part, name_of,
                      measure::ComparableName("", text.Text(part.waited_for.object)))};
    auto found = named.find(row);
    if (found == named.end()) {
      const size_t bytes = std::get<1>(row).size() + std::get<2>(row).size() + kRowBytes;
      if (bytes > free) {
        row = {part.kind, "(others)", path::NameOf(part.kind)};
      } else {
        free -= bytes;
      }
      found = named.try_emplace(std::move(row)).first;
    }
    Sums& all = found->second;
    all.all += sums.all;
    all.median += sums.median;
    all.slow += sums.slow;
  }
  const auto mean = [](uint64_t sum, const PathComparison::Side& side) {
    return side.count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(side.count);
  };
  for (const auto& [key, sums] : named) {
    comparison.rows.push_back({.kind = std::get<0>(key),
                               .thread = std::get<1>(key),
                               .what = std::get<2>(key),
                               .median_ns = mean(sums.median, comparison.median),
                               .slow_ns = mean(sums.slow, comparison.slow),
                               .all_ns = mean(sums.all, comparison.all)});
  }
  std::stable_sort(comparison.rows.begin(), comparison.rows.end(),
                   [](const auto& a, const auto& b) {
                     return std::abs(a.difference()) > std::abs(b.difference());
                   });
  return comparison;
}

}  // namespace analyze
