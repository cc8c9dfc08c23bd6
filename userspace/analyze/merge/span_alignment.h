// SPDX-License-Identifier: BSD-2-Clause
// Aligns two traces by their content: a thread can begin or end a span only while it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fxt/format.h"
#include "fxt/id_map.h"

namespace analyze {

struct SpanFit {
  int64_t offset = 0;  // ns to add: the middle of the best range
  int64_t error = 0;   // half the width of the best range, in ns
  uint64_t moments = 0;
  uint64_t inside = 0;         // moments inside a run, with the offset
  uint64_t inside_before = 0;  // moments inside a run, without it
  // Another range, not adjacent to this one, fits equally well.
  bool ambiguous = false;
};

class SpanAlignment {
 public:
  struct Run {
    int64_t begin = 0;
    int64_t end = 0;
  };
  static constexpr size_t kMaxMoments = 20'000;

  // Runs of a thread, in time order.
  void AddRun(fxt::Koid thread, Run run) { runs_[thread].push_back(run); }
  bool HasRuns(fxt::Koid thread) const { return runs_.contains(thread); }
  // A moment at which the thread acted, in ns. Beyond kMaxMoments an evenly spread sample is kept.
  void AddMoment(fxt::Koid thread, int64_t time);

  // The best offset from `-window` to `window`; empty if the traces share no thread.
  std::optional<SpanFit> Find(int64_t window) const;

 private:
  struct Moment {
    fxt::Koid thread = 0;
    int64_t time = 0;
  };
  uint64_t Inside(std::span<const Moment> moments, int64_t offset) const;

  fxt::IdMap<std::vector<Run>> runs_;
  std::vector<Moment> moments_;
  uint64_t every_ = 1;  // keeps one moment of this many
  uint64_t seen_ = 0;
};

}  // namespace analyze
