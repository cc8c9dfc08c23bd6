// SPDX-License-Identifier: BSD-2-Clause
#include "facts/timeline/activity_history.h"

#include <algorithm>

namespace facts {
namespace {

const uint8_t* TakeNumber(const uint8_t* at, uint64_t& value) {
  value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const uint8_t byte = *at++;
    value |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return at;
  }
}

}  // namespace

void ActivityHistory::AddChunk(Track& track, uint64_t begin) {
  const uint64_t serial = next_++;
  const size_t block = (serial & (capacity_ - 1)) / kBlockChunks;
  if (block == blocks_.size()) {
    blocks_.push_back(std::make_unique_for_overwrite<Chunk[]>(
        std::min(kBlockChunks, capacity_ - block * kBlockChunks)));
  }
  auto& chunks = track.chunks;
  if (chunks.size() == chunks.capacity()) {
    // Overwritten chunks leave the list before it grows.
    const auto kept =
        std::find_if(chunks.begin(), chunks.end(), [&](uint64_t number) { return IsKept(number); });
    if (kept - chunks.begin() > static_cast<ptrdiff_t>(chunks.size() / 2)) {
      chunks.erase(chunks.begin(), kept);
    }
  }
  chunks.push_back(serial);
  track.last = &ChunkOf(serial);
  track.last_serial = serial;
  track.last->begin = track.last->end = begin;
  track.last->used = 0;
}

void ActivityHistory::Append(Track& track, const ActivityInterval& interval) {
  if (!HasRoom(track)) AddChunk(track, interval.begin);
  Put(track, interval);
}

void ActivityHistory::AddAnywhere(uint32_t number, const ActivityInterval& interval) {
  if (number >= tracks_.size()) tracks_.resize(std::max<size_t>(number + 1, tracks_.size() * 2));
  Track& track = tracks_[number];
  ActivityInterval added = interval;
  if (track.end != 0) {
    added.begin = std::max(added.begin, track.end);
    if (added.begin > track.end && added.end > added.begin) {
      Append(track, {.begin = track.end, .end = added.begin});
    }
  }
  if (added.end > added.begin) Append(track, added);
}

const std::vector<ActivityInterval>& ActivityHistory::Decode(uint64_t serial) {
  const Chunk& chunk = ChunkOf(serial);
  Decoded& decoded = decoded_[serial % decoded_.size()];
  if (decoded.serial == serial && decoded.used == chunk.used) return decoded.intervals;
  decoded.serial = serial;
  decoded.used = chunk.used;
  decoded.intervals.clear();
  uint64_t begin = chunk.begin;
  const uint8_t* at = chunk.bytes.data();
  const uint8_t* const end = at + chunk.used;
  while (at < end) {
    const uint8_t head = *at++;
    uint64_t length = 0;
    uint64_t other = 0;
    at = TakeNumber(at, length);
    at = TakeNumber(at, other);
    decoded.intervals.push_back({.begin = begin,
                                 .end = begin + length,
                                 .activity = static_cast<Activity>(head & kActivityMask),
                                 .by_interrupt = (head & kByInterrupt) != 0,
                                 .other = static_cast<uint32_t>(other) - 1});
    begin += length;
  }
  return decoded.intervals;
}

std::optional<ActivityInterval> ActivityHistory::Before(uint32_t number, uint64_t time) {
  if (number >= tracks_.size() || time > tracks_[number].end) return std::nullopt;
  const auto& chunks = tracks_[number].chunks;
  // Overwritten chunks are the first ones. The last of the others that begins before `time` has it.
  // Walks begin near the end of the trace that was read, so the search does: in steps that double.
  const auto is_behind = [&](uint64_t serial) {
    return !IsKept(serial) || ChunkOf(serial).begin < time;
  };
  auto last = chunks.end();
  auto first = last;
  for (ptrdiff_t step = 1; first != chunks.begin(); step *= 2) {
    last = first;
    first -= std::min(step, first - chunks.begin());
    if (is_behind(*first)) break;
  }
  const auto behind = std::partition_point(first, last, is_behind);
  if (behind == chunks.begin() || !IsKept(*(behind - 1))) return std::nullopt;
  const auto& intervals = Decode(*(behind - 1));
  const auto found =
      std::partition_point(intervals.begin(), intervals.end(),
                           [&](const ActivityInterval& interval) { return interval.end < time; });
  if (found == intervals.end()) return std::nullopt;
  return *found;
}

}  // namespace facts
