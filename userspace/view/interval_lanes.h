// SPDX-License-Identifier: BSD-2-Clause
// Stores the intervals of all lanes of CPUs and threads compactly.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "view/index_stream.h"
#include "view/lane_state.h"

namespace view {

// Times are ns; the end is excluded.
struct Interval {
  static constexpr uint32_t kNone = UINT32_MAX;

  uint64_t begin = 0;
  uint64_t end = 0;
  LaneState state = LaneState::kAbsent;
  bool by_interrupt = false;  // an interrupt ended it
  bool is_cut = false;        // its begin or end is not a switch or wakeup of the file
  // A thread's run: the CPU. A CPU's run: the number of the thread. kPreempted: the thread that
  // took the CPU. A sleep: the thread that ended it.
  uint32_t value = kNone;
  uint32_t object = 0;  // a sleep: the label of the object waited for; 0: unknown
};

// The summary of a chunk: consecutive intervals of a lane.
struct ChunkSummary {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::array<uint8_t, kCountedStates> share = {};  // share of each state from kRun on, 255ths
  uint32_t top_value = Interval::kNone;            // value of the longest run
};

// Each lane is a list of chunks. A chunk has a summary, and its intervals as variable-length
// numbers of about 5 bytes each. When the memory limit is reached, further chunks have only
// summaries.
class IntervalLanes {
 public:
  static constexpr size_t kMaxChunkBytes = 256;
  static constexpr uint32_t kMaxChunkIntervals = 128;

  explicit IntervalLanes(size_t max_bytes) : max_bytes_(max_bytes) {}

  void SetMaxBytes(size_t max_bytes) { max_bytes_ = max_bytes; }

  uint32_t AddLane() {
    lanes_.emplace_back();
    return static_cast<uint32_t>(lanes_.size() - 1);
  }

  // Appends an interval. Cuts off the part before the end of the lane, and fills a gap with
  // kAbsent. Ignores empty intervals.
  void Append(uint32_t lane, Interval interval);

  // Calls `on_interval(const Interval&)` for the intervals that overlap [from, to), in order, or
  // `on_summary(const ChunkSummary&)` in place of all intervals of a chunk that is shorter than
  // `detail` ns, or that has only a summary.
  template <typename OnInterval, typename OnSummary>
  void Visit(uint32_t lane, uint64_t from, uint64_t to, uint64_t detail, OnInterval&& on_interval,
             OnSummary&& on_summary) const;

  // Saves all lanes. Calls `between` periodically.
  void Save(IndexWriter& out, const std::function<void()>& between) const;
  // Restores saved intervals. Append() must not be called afterwards. False: they cannot be read or
  // exceed the memory limit.
  bool Load(IndexReader& in);

  uint64_t EndOf(uint32_t lane) const { return lanes_[lane].end; }
  size_t bytes() const { return bytes_; }
  size_t lanes() const { return lanes_.size(); }
  uint64_t intervals() const { return intervals_; }
  // Intervals that exist only in summaries.
  uint64_t summarized() const { return summarized_; }
  // The total time in `state`, ns.
  uint64_t TimeIn(uint32_t lane, LaneState state) const {
    return lanes_[lane].total[static_cast<size_t>(state) - 1];
  }

 private:
  struct Chunk {
    uint64_t begin = 0;
    const uint8_t* data = nullptr;  // null: a summary only
    uint16_t used = 0;
    uint16_t count = 0;
    std::array<uint8_t, kCountedStates> share = {};
    uint32_t top_value = Interval::kNone;
  };
  struct Lane {
    std::vector<Chunk> chunks;
    uint64_t end = 0;
    // Capacity of the open chunk, which is the last one.
    uint16_t capacity = 0;
    uint64_t top_length = 0;
    std::array<uint64_t, kCountedStates> time = {};
    std::array<uint64_t, kCountedStates> total = {};
  };
  static constexpr size_t kBlockBytes = size_t{1} << 20;
  static constexpr size_t kMaxEntryBytes = 1 + 10 + 5 + 5;
  // Readable bytes after a block, because decoding a damaged chunk may read beyond its end.
  static constexpr size_t kBlockMargin = 1 + 3 * 10;
  struct SavedChunk {
    uint64_t begin = 0;
    uint16_t used = 0;
    uint16_t count = 0;
    std::array<uint8_t, kCountedStates> share = {};
    uint32_t top_value = 0;
    uint32_t has_data = 0;
  };
  struct SavedLane {
    uint64_t end = 0;
    std::array<uint64_t, kCountedStates> total = {};
  };

  void Put(Lane& lane, const Interval& interval);
  void OpenChunk(Lane& lane);
  void Summarize(Lane& lane, uint64_t end);
  uint8_t* Allocate(size_t bytes);
  static const uint8_t* Decode(const uint8_t* at, Interval& interval);

  size_t max_bytes_;
  size_t bytes_ = 0;
  uint64_t intervals_ = 0;
  uint64_t summarized_ = 0;
  std::vector<std::unique_ptr<uint8_t[]>> blocks_;
  size_t free_ = 0;  // bytes at the end of the last block
  std::vector<Lane> lanes_;
};

template <typename OnInterval, typename OnSummary>
void IntervalLanes::Visit(uint32_t number, uint64_t from, uint64_t to, uint64_t detail,
                          OnInterval&& on_interval, OnSummary&& on_summary) const {
  const Lane& lane = lanes_[number];
  if (from >= to) return;
  auto chunk = std::upper_bound(lane.chunks.begin(), lane.chunks.end(), from,
                                [](uint64_t time, const Chunk& one) { return time < one.begin; });
  if (chunk != lane.chunks.begin()) --chunk;
  for (; chunk != lane.chunks.end() && chunk->begin < to; ++chunk) {
    const bool is_last = chunk + 1 == lane.chunks.end();
    const uint64_t end = is_last ? lane.end : (chunk + 1)->begin;
    if (end <= from) continue;
    // The open chunk has no summary yet.
    if (chunk->data == nullptr || (!is_last && end - chunk->begin < detail)) {
      ChunkSummary summary{chunk->begin, end, chunk->share, chunk->top_value};
      on_summary(summary);
      continue;
    }
    Interval interval;
    interval.end = chunk->begin;
    const uint8_t* at = chunk->data;
    for (const uint8_t* const stop = at + chunk->used; at < stop;) {
      at = Decode(at, interval);
      if (interval.begin >= to) break;
      if (interval.end > from) on_interval(interval);
    }
  }
}

inline const uint8_t* IntervalLanes::Decode(const uint8_t* at, Interval& interval) {
  const auto number = [&at] {
    uint64_t value = *at & 0x7f;
    for (unsigned shift = 7; (*at++ & 0x80) != 0 && shift < 64; shift += 7) {
      value |= static_cast<uint64_t>(*at & 0x7f) << shift;
    }
    return value;
  };
  const uint8_t head = *at++;
  interval.state = static_cast<LaneState>(head & 0xf);
  interval.by_interrupt = (head & 0x40) != 0;
  interval.is_cut = (head & 0x80) != 0;
  interval.begin = interval.end;
  interval.end += number();
  interval.value = (head & 0x10) != 0 ? static_cast<uint32_t>(number()) : Interval::kNone;
  interval.object = (head & 0x20) != 0 ? static_cast<uint32_t>(number()) : 0;
  return at;
}

}  // namespace view
