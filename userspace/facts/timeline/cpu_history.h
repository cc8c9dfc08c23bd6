// SPDX-License-Identifier: BSD-2-Clause
// Who was on each CPU in the last moments.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "facts/dense_table.h"

namespace facts {

// Keeps the last kSpans intervals of each CPU. In an interval threads of one group (by the owner's
// numbers), cgroup and priority ran, or the CPU was idle, or its activity is unknown. Memory: 4
// KiB for each CPU that has a span.
class CpuHistory {
 public:
  static constexpr size_t kSpans = 128;
  // Numbers beside those of groups.
  static constexpr uint32_t kIdle = UINT32_MAX - 2;
  static constexpr uint32_t kUnknown = UINT32_MAX;

  struct Span {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint32_t group = kUnknown;  // or kIdle
    int16_t priority = -1;      // the kernel's, a higher number is a lower priority; -1 not known
    uint16_t cgroup = 0;        // RunnableReasons::CgroupOf()
  };

  // The current state of `cpu`; the end of `span` does not matter.
  void Open(uint32_t cpu, const Span& span) {
    if (span.group == kIdle && cpu >= lanes_.size()) return;
    Lane& lane = lanes_.At(cpu);
    lane.open = span;
    lane.open.end = UINT64_MAX;
    lane.is_open = true;
  }
  // Its state; the spans of a CPU come in order of time, and what was open is over.
  [[gnu::always_inline]] void Add(uint32_t cpu, const Span& span) {
    Lane& lane = lanes_.At(cpu);
    lane.is_open = false;
    if (lane.count != 0) {
      Span& last = lane.spans[(lane.count - 1) % kSpans];
      if (last.end == span.begin && KeyOf(last) == KeyOf(span)) {
        last.end = std::max(last.end, span.end);
        return;
      }
    }
    if (span.begin >= span.end) return;
    // As long as it is short, it grows: there may be 65,536 CPUs.
    lane.spans.At(lane.count % kSpans) = span;
    ++lane.count;
  }

  // Calls `tell(part, began)` for the parts of the spans that lie in [begin, end), latest first;
  // `began` is the begin of the span. Looks at the latest kLook of the kept spans.
  template <typename Tell>
  [[gnu::always_inline]] void Look(uint32_t cpu, uint64_t begin, uint64_t end, Tell&& tell) const {
    if (cpu >= lanes_.size() || begin >= end) return;
    const Lane& lane = lanes_[cpu];
    const size_t kept = std::min<uint64_t>(lane.count, kLook);
    for (size_t i = lane.is_open ? 0 : 1; i <= kept; ++i) {
      const Span& span = i == 0 ? lane.open : lane.spans[(lane.count - i) % kSpans];
      if (span.end <= begin) break;
      const Span part{std::max(begin, span.begin), std::min(end, span.end), span.group,
                      span.priority, span.cgroup};
      // In one place, so that it is part of this loop.
      if (part.begin < part.end) tell(part, span.begin);
    }
  }
  static constexpr size_t kLook = 100;
  static constexpr size_t kMost = kLook + 1;  // with the current span

 private:
  // Made of registers. Two comparisons of neighbours the compiler makes one load of, which waits
  // for both of the stores that have just made them.
  static uint64_t KeyOf(const Span& span) {
    return uint64_t{span.group} << 32 | uint32_t{span.cgroup} << 16 |
           static_cast<uint16_t>(span.priority);
  }

  struct Lane {
    uint64_t count = 0;  // ever added
    bool is_open = false;
    Span open;
    DenseTable<Span> spans;
  };

  DenseTable<Lane> lanes_;
};

}  // namespace facts
