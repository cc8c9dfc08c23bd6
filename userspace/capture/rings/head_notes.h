// SPDX-License-Identifier: BSD-2-Clause
// How far the slot rings were when. A slot tells only the low bits of its time, which come again
// after 4.8 hours; where rings are left in place, an idle CPU's slots may be older than that.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace capture {

class HeadNotes {
 public:
  // How far apart notes may be at most, ns: well below half of what the low bits tell.
  static constexpr uint64_t kInterval = uint64_t{1200} * 1'000'000'000;

  struct Note {
    uint64_t time = 0;            // ns of CLOCK_MONOTONIC; read before the heads were
    std::vector<uint64_t> heads;  // slots claimed by then, by ring
  };

  bool IsDue(uint64_t now) const { return notes_.empty() || now >= notes_.back().time + kInterval; }
  // Later than all before.
  void Add(Note note) { notes_.push_back(std::move(note)); }
  // Forgets what only tells of slots before these positions, by ring.
  void Prune(std::span<const uint64_t> oldest);

  // A time at most 2.4 hours away from that of the slot at `position`; `now`: that of the call.
  uint64_t Near(size_t ring, uint64_t position, uint64_t now) const;
  const std::deque<Note>& notes() const { return notes_; }

 private:
  std::deque<Note> notes_;
};

}  // namespace capture
