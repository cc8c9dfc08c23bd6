// SPDX-License-Identifier: BSD-2-Clause
// A history of the slot rings' heads. A slot holds only the low 44 bits of its time, which wrap
// after 4.8 hours. In a ring that is left in place, slots of an idle CPU may be older than that;
// the history dates them.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace capture {

class HeadHistory {
 public:
  // The longest distance between samples, ns: well below half of the wrap.
  static constexpr uint64_t kInterval = uint64_t{1200} * 1'000'000'000;

  struct Sample {
    uint64_t time = 0;            // ns of CLOCK_MONOTONIC; read before the heads were
    std::vector<uint64_t> heads;  // slots claimed by then, by ring
  };

  bool IsDue(uint64_t now) const {
    return samples_.empty() || now >= samples_.back().time + kInterval;
  }
  // In time order.
  void Add(Sample sample) { samples_.push_back(std::move(sample)); }
  // Drops samples that only concern slots before these positions, by ring.
  void Prune(std::span<const uint64_t> oldest);

  // A time at most 2.4 hours from that of the slot at `position`. `now` is the present time.
  uint64_t Near(size_t ring, uint64_t position, uint64_t now) const;
  const std::deque<Sample>& samples() const { return samples_; }

 private:
  std::deque<Sample> samples_;
};

}  // namespace capture
