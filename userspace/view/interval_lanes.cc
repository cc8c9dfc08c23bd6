// SPDX-License-Identifier: BSD-2-Clause
#include "view/interval_lanes.h"

namespace view {
namespace {

void PutNumber(uint8_t*& at, uint64_t value) {
  for (; value >= 0x80; value >>= 7) *at++ = static_cast<uint8_t>(value | 0x80);
  *at++ = static_cast<uint8_t>(value);
}

}  // namespace

uint8_t* IntervalLanes::Allocate(size_t bytes) {
  if (bytes > free_) {
    if (bytes_ + kBlockBytes > max_bytes_) return nullptr;
    // Not initialized, because untouched pages take no memory.
    blocks_.push_back(std::make_unique_for_overwrite<uint8_t[]>(kBlockBytes + kBlockMargin));
    bytes_ += kBlockBytes;
    free_ = kBlockBytes;
  }
  uint8_t* at = blocks_.back().get() + (kBlockBytes - free_);
  free_ -= bytes;
  return at;
}

// Opens a small chunk, because there may be many lanes with few intervals.
void IntervalLanes::OpenChunk(Lane& lane) {
  if (!lane.chunks.empty()) Summarize(lane, lane.end);
  const size_t chunks = lane.chunks.size();
  const size_t bytes = chunks < 3 ? size_t{64} << chunks >> 1 : kMaxChunkBytes;
  const size_t before = lane.chunks.capacity();
  const uint8_t* data = Allocate(bytes);
  lane.chunks.push_back({.begin = lane.end, .data = data});
  bytes_ += (lane.chunks.capacity() - before) * sizeof(Chunk);
  lane.capacity = static_cast<uint16_t>(bytes);
  lane.time = {};
  lane.top_length = 0;
}

void IntervalLanes::Summarize(Lane& lane, uint64_t end) {
  Chunk& chunk = lane.chunks.back();
  const double length = static_cast<double>(std::max<uint64_t>(end - chunk.begin, 1));
  for (size_t i = 0; i < kCountedStates; ++i) {
    const double share = static_cast<double>(lane.time[i]) / length * 255;
    // A state that occurs has at least 1.
    chunk.share[i] = lane.time[i] == 0 ? 0 : static_cast<uint8_t>(std::max(1.0, share));
  }
}

void IntervalLanes::Append(uint32_t number, Interval interval) {
  Lane& lane = lanes_[number];
  if (lane.chunks.empty()) lane.end = interval.begin;
  interval.begin = std::max(interval.begin, lane.end);
  if (interval.begin >= interval.end) return;
  if (interval.begin > lane.end) {
    Put(lane, {.begin = lane.end, .end = interval.begin, .state = LaneState::kAbsent});
  }
  Put(lane, interval);
}

void IntervalLanes::Put(Lane& lane, const Interval& interval) {
  const bool is_full = lane.chunks.empty() || lane.chunks.back().count >= kMaxChunkIntervals ||
                       (lane.chunks.back().data != nullptr &&
                        lane.chunks.back().used + kMaxEntryBytes > lane.capacity);
  if (is_full) OpenChunk(lane);
  Chunk& chunk = lane.chunks.back();
  const uint64_t length = interval.end - interval.begin;
  if (chunk.data != nullptr) {
    // Allocate() returned it for writing.
    uint8_t* const begin = const_cast<uint8_t*>(chunk.data) + chunk.used;
    uint8_t* at = begin;
    const bool has_value = interval.value != Interval::kNone;
    *at++ = static_cast<uint8_t>(static_cast<unsigned>(interval.state) | (has_value ? 0x10 : 0) |
                                 (interval.object != 0 ? 0x20 : 0) |
                                 (interval.by_interrupt ? 0x40 : 0) | (interval.is_cut ? 0x80 : 0));
    PutNumber(at, length);
    if (has_value) PutNumber(at, interval.value);
    if (interval.object != 0) PutNumber(at, interval.object);
    chunk.used = static_cast<uint16_t>(chunk.used + (at - begin));
  } else {
    ++summarized_;
  }
  ++chunk.count;
  ++intervals_;
  lane.end = interval.end;
  const auto counted = static_cast<size_t>(interval.state) - 1;
  if (counted < kCountedStates) {
    lane.time[counted] += length;
    lane.total[counted] += length;
  }
  if (interval.state == LaneState::kRun && length > lane.top_length) {
    lane.top_length = length;
    chunk.top_value = interval.value;
  }
  // A chunk without data has only its summary.
  if (chunk.data == nullptr) Summarize(lane, lane.end);
}

void IntervalLanes::Save(IndexWriter& out, const std::function<void()>& between) const {
  out.Put(intervals_);
  out.Put(summarized_);
  out.Put<uint64_t>(lanes_.size());
  for (const Lane& lane : lanes_) {
    between();
    out.Put(SavedLane{lane.end, lane.total});
    out.Put<uint64_t>(lane.chunks.size());
    for (const Chunk& chunk : lane.chunks) {
      out.Put(SavedChunk{chunk.begin, chunk.used, chunk.count, chunk.share, chunk.top_value,
                         chunk.data != nullptr ? 1u : 0u});
      if (chunk.data != nullptr) out.PutBytes(std::as_bytes(std::span(chunk.data, chunk.used)));
    }
  }
}

bool IntervalLanes::Load(IndexReader& in) {
  uint64_t lanes = 0;
  if (!in.Get(intervals_) || !in.Get(summarized_) || !in.GetCount(lanes, sizeof(SavedLane))) {
    return false;
  }
  bytes_ += lanes * sizeof(Lane);
  if (bytes_ > max_bytes_) return false;
  lanes_.resize(lanes);
  for (Lane& lane : lanes_) {
    SavedLane saved_lane;
    uint64_t chunks = 0;
    if (!in.Get(saved_lane) || !in.GetCount(chunks, sizeof(SavedChunk))) return false;
    lane.end = saved_lane.end;
    lane.total = saved_lane.total;
    bytes_ += chunks * sizeof(Chunk);
    if (bytes_ > max_bytes_) return false;
    lane.chunks.resize(chunks);
    for (Chunk& chunk : lane.chunks) {
      SavedChunk saved;
      if (!in.Get(saved) || saved.used > kMaxChunkBytes) return false;
      chunk = {.begin = saved.begin,
               .used = saved.used,
               .count = saved.count,
               .share = saved.share,
               .top_value = saved.top_value};
      if (saved.has_data == 0) continue;
      if (saved.used == 0) return false;
      uint8_t* const data = Allocate(saved.used);
      if (data == nullptr || !in.GetBytes(std::as_writable_bytes(std::span(data, saved.used)))) {
        return false;
      }
      chunk.data = data;
    }
  }
  return true;
}

}  // namespace view
