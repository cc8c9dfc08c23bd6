// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/cpu_history.h"

namespace measure {

void CpuHistory::AddLanes(size_t count) { lanes_.resize(count); }

// As long as it is short, it grows: there may be 65,536 CPUs.
void CpuHistory::Grow(Lane& lane) {
  lane.spans.resize(std::min(kSpans, std::max<size_t>(4, lane.spans.size() * 2)));
}

}  // namespace measure
