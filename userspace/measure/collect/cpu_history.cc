// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/cpu_history.h"

namespace measure {

void CpuHistory::Add(uint32_t cpu, const Span& span) {
  Lane& lane = LaneAt(cpu);
  lane.open.reset();
  if (lane.count != 0) {
    Span& last = lane.spans[(lane.count - 1) % kSpans];
    if (last.group == span.group && last.priority == span.priority && last.end == span.begin) {
      last.end = std::max(last.end, span.end);
      return;
    }
  }
  if (span.begin >= span.end) return;
  // As long as it is short, it grows: there may be 65,536 CPUs.
  if (lane.spans.size() < kSpans) {
    lane.spans.push_back(span);
  } else {
    lane.spans[lane.count % kSpans] = span;
  }
  ++lane.count;
}

}  // namespace measure
