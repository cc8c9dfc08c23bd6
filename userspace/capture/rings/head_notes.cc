// SPDX-License-Identifier: BSD-2-Clause
#include "capture/rings/head_notes.h"

#include <algorithm>

namespace capture {

void HeadNotes::Prune(std::span<const uint64_t> oldest) {
  const auto is_over = [&](const Note& note) {
    for (size_t ring = 0; ring < oldest.size() && ring < note.heads.size(); ++ring) {
      if (note.heads[ring] > oldest[ring]) return false;
    }
    return true;
  };
  // The last one says when the next is due.
  while (notes_.size() > 1 && is_over(notes_.front())) notes_.pop_front();
}

uint64_t HeadNotes::Near(size_t ring, uint64_t position, uint64_t now) const {
  // Heads only grow.
  const auto note = std::partition_point(
      notes_.begin(), notes_.end(), [&](const Note& each) { return each.heads[ring] <= position; });
  return note == notes_.end() ? now : note->time;
}

}  // namespace capture
