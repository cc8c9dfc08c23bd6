// SPDX-License-Identifier: BSD-2-Clause
// Lengths of one kind of time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fxt/format.h"
#include "measure/histogram.h"

namespace measure {

// One of many times, to look closer at.
struct Instance {
  uint64_t begin = 0;
  uint64_t length = 0;
  fxt::Koid thread = 0;
  uint32_t cpu = 0;  // the CPU of the run, or of the next run
  bool operator==(const Instance&) const = default;
};

// All lengths of a kind of time. Lengths that an edge of the capture cuts, or that are unknown, are
// counted separately and nowhere else.
struct alignas(64) Distribution {
  static constexpr size_t kWorst = 4;

  // First what counting looks at, in one cache line: there are many of these.
  uint64_t whole_ns = 0;    // the sum of the whole ones, exact
  uint64_t keep_from = 0;   // shorter ones are not among the longest; follows from `worst`
  Histogram whole;          // those seen from begin to end
  uint64_t longest_ns = 0;  // the longest of them, exact
  Histogram cut;            // they began before the capture or ended behind it: at least so long
  uint64_t cut_ns = 0;
  uint64_t unknown = 0;  // a loss, an unseen switch or a missing wakeup touches them
  uint64_t unknown_ns = 0;
  std::vector<Instance> worst;  // the longest whole ones, longest first; at most kWorst

  // Counts one that was seen from begin to end.
  [[gnu::always_inline]] void AddWhole(const Instance& instance) {
    whole.Add(instance.length);
    whole_ns += instance.length;
    if (instance.length < keep_from) [[likely]] {
      return;
    }
    // No longer than the longest, what is not kept is.
    longest_ns = longest_ns < instance.length ? instance.length : longest_ns;
    KeepWorst(instance);
  }
  // Histogram::Quantile() of the whole ones, limited to the longest. 0 if there are none.
  uint64_t Quantile(double q) const { return std::min(whole.Quantile(q), longest_ns); }
  uint64_t Mean() const { return whole.empty() ? 0 : whole_ns / whole.count(); }
  // Keeps one that may be among the longest.
  void Keep(const Instance& instance) {
    if (instance.length >= keep_from) KeepWorst(instance);
  }
  void Merge(const Distribution& other);
  // The same with lengths of the same capture: of equal ones among the longest, the earlier comes
  // first, as if all had been counted here.
  void Include(const Distribution& part);
  // Takes out lengths that are counted in `part` too. longest_ns stays.
  void Remove(const Distribution& part);
  bool operator==(const Distribution&) const = default;

 private:
  void KeepWorst(const Instance& instance);
};

}  // namespace measure
