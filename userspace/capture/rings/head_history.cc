// SPDX-License-Identifier: BSD-2-Clause
#include "capture/rings/head_history.h"

#include <algorithm>

namespace capture {

void HeadHistory::Prune(std::span<const uint64_t> oldest) {
  const auto is_over = [&](const Sample& sample) {
    for (size_t ring = 0; ring < oldest.size() && ring < sample.heads.size(); ++ring) {
      if (sample.heads[ring] > oldest[ring]) return false;
    }
    return true;
  };
  // IsDue() needs the last one.
  while (samples_.size() > 1 && is_over(samples_.front())) samples_.pop_front();
}

uint64_t HeadHistory::Near(size_t ring, uint64_t position, uint64_t now) const {
  // Heads only grow, so the samples are ordered by them.
  const auto sample =
      std::partition_point(samples_.begin(), samples_.end(),
                           [&](const Sample& each) { return each.heads[ring] <= position; });
  return sample == samples_.end() ? now : sample->time;
}

}  // namespace capture
