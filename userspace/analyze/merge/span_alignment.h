// SPDX-License-Identifier: BSD-2-Clause
// How two traces stand to each other, found by what happened: a thread can only have begun or ended
// something while it ran.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "fxt/format.h"

namespace analyze {

struct SpanFit {
  int64_t offset = 0;  // ns to add: the middle of what fits best
  int64_t error = 0;   // ns up and down in which the fit is the same
  uint64_t moments = 0;
  uint64_t inside = 0;         // of them, with the offset
  uint64_t inside_before = 0;  // of them, without
  // Another offset, not beside this one, fits as well.
  bool ambiguous = false;
};

class SpanAlignment {
 public:
  struct Run {
    int64_t begin = 0;
    int64_t end = 0;
  };
  static constexpr size_t kMaxMoments = 20'000;

  // Runs of a thread in the order of time.
  void AddRun(fxt::Koid thread, Run run) { runs_[thread].push_back(run); }
  bool HasRuns(fxt::Koid thread) const { return runs_.contains(thread); }
  // Something that the thread did, in ns as far as is known. Of more than kMaxMoments a part that
  // is spread over all is kept.
  void AddMoment(fxt::Koid thread, int64_t time);

  // The best offset from `-window` to `window`; empty where no thread is in both traces.
  std::optional<SpanFit> Find(int64_t window) const;

 private:
  struct Moment {
    fxt::Koid thread = 0;
    int64_t time = 0;
  };
  uint64_t Inside(std::span<const Moment> moments, int64_t offset) const;

  std::unordered_map<fxt::Koid, std::vector<Run>> runs_;
  std::vector<Moment> moments_;
  uint64_t every_ = 1;  // moments of which one is kept
  uint64_t seen_ = 0;
};

}  // namespace analyze
