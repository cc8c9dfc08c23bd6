// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/merge/span_alignment.h"

#include <algorithm>
#include <cstdlib>

namespace analyze {
namespace {

// Edges of offset ranges, one range for each moment and run; the limit of a single sort.
constexpr size_t kMaxSuiting = 1'000'000;
constexpr size_t kFewest = 20;

struct Edge {
  int64_t offset;
  int32_t change;
};

}  // namespace

void SpanAlignment::AddMoment(fxt::Koid thread, int64_t time) {
  if (!runs_.contains(thread)) return;
  if (seen_++ % every_ != 0) return;
  if (moments_.size() == kMaxMoments) {
    size_t kept = 0;
    for (size_t i = 0; i < moments_.size(); i += 2) moments_[kept++] = moments_[i];
    moments_.resize(kept);
    every_ *= 2;
  }
  moments_.push_back({thread, time});
}

uint64_t SpanAlignment::Inside(std::span<const Moment> moments, int64_t offset) const {
  uint64_t inside = 0;
  for (const Moment& moment : moments) {
    const std::vector<Run>& runs = runs_.at(moment.thread);
    const int64_t time = moment.time + offset;
    const auto behind = std::upper_bound(runs.begin(), runs.end(), time,
                                         [](int64_t t, const Run& run) { return t < run.begin; });
    inside += behind != runs.begin() && time <= std::prev(behind)->end;
  }
  return inside;
}

std::optional<SpanFit> SpanAlignment::Find(int64_t window) const {
  if (moments_.empty()) return std::nullopt;
  // Takes as many moments, spread over the trace, as the limit allows.
  std::vector<Edge> edges;
  size_t step = 1;
  const auto collect = [&] {
    edges.clear();
    size_t used = 0;
    for (size_t i = 0; i < moments_.size(); i += step) {
      ++used;
      const Moment& moment = moments_[i];
      const std::vector<Run>& runs = runs_.at(moment.thread);
      auto run = std::lower_bound(runs.begin(), runs.end(), moment.time - window,
                                  [](const Run& each, int64_t time) { return each.end < time; });
      for (; run != runs.end() && run->begin <= moment.time + window; ++run) {
        edges.push_back({std::max(run->begin - moment.time, -window), 1});
        edges.push_back({std::min(run->end - moment.time, window) + 1, -1});
        if (edges.size() > 2 * kMaxSuiting && used > kFewest) return false;
      }
    }
    return true;
  };
  while (!collect()) step *= 2;
  std::sort(edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return a.offset < b.offset; });
  // The offset that most ranges contain; of equal ones the nearest to 0.
  int64_t depth = 0;
  int64_t best = 0;
  int64_t from = 0;
  int64_t to = 0;
  bool ambiguous = false;
  const auto distance = [](int64_t low, int64_t high) {
    return low > 0 ? low : high < 0 ? -high : 0;
  };
  for (size_t i = 0; i < edges.size();) {
    const int64_t at = edges[i].offset;
    for (; i < edges.size() && edges[i].offset == at; ++i) depth += edges[i].change;
    if (i == edges.size() || depth < best || depth == 0) continue;
    const int64_t until = edges[i].offset - 1;
    if (depth > best) {
      best = depth;
      ambiguous = false;
      from = at;
      to = until;
    } else if (at == to + 1) {
      to = until;
    } else {
      ambiguous = true;
      if (distance(at, until) < distance(from, to)) {
        from = at;
        to = until;
      }
    }
  }
  if (best == 0) return std::nullopt;
  SpanFit fit;
  fit.offset = from + (to - from) / 2;
  fit.error = (to - from + 1) / 2;
  fit.ambiguous = ambiguous;
  fit.moments = moments_.size();
  fit.inside = Inside(moments_, fit.offset);
  fit.inside_before = Inside(moments_, 0);
  return fit;
}

}  // namespace analyze
