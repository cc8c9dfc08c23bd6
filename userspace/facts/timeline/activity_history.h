// SPDX-License-Identifier: BSD-2-Clause
// What each thread and each CPU did over time, as far back as a limit of bytes allows.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace facts {

enum class Activity : uint8_t {
  kUnknown,
  kRun,
  kWakeup,     // runnable since a wakeup
  kPreempted,  // runnable since it left a CPU runnable
  kSleep,
  kBlocked,
  kStopped,
  kAbsent,     // not created yet; ends with the wakeup by its creator
  kIdle,       // of a CPU
  kThrottled,  // runnable, and the quota of its cgroup is used up
};

// An interval of a track. Times are ns; the end is excluded.
struct ActivityInterval {
  static constexpr uint32_t kNone = UINT32_MAX;

  uint64_t begin = 0;
  uint64_t end = 0;
  Activity activity = Activity::kUnknown;
  // The wakeup that ended it came from an interrupt.
  bool by_interrupt = false;
  // For a thread's run: the CPU; for a runnable thread: the CPU of its next run; for a sleep: the
  // index of the thread that ended it; for a CPU's run: the index of the thread.
  uint32_t other = kNone;
};

// Keeps the intervals of any number of tracks in a ring of chunks: the oldest chunk of all tracks
// is overwritten when the limit is reached. Time that is not kept, or that Add() left out, is
// absent or kUnknown, never that of another interval.
class ActivityHistory {
 public:
  static constexpr size_t kChunkBytes = 256;

  // Takes at most `max_bytes` for intervals (a power of two is used as it is), and 48 bytes for
  // each track.
  explicit ActivityHistory(size_t max_bytes)
      : capacity_(std::bit_floor(std::max<size_t>(max_bytes / kChunkBytes, 2))) {}

  // Appends an interval to a track. The part before the track's end is cut off; a hole between both
  // becomes kUnknown. Empty intervals are left out.
  void Add(uint32_t track, const ActivityInterval& interval) {
    if (track < tracks_.size()) [[likely]] {
      Track& to = tracks_[track];
      if (interval.begin == to.end && interval.end > interval.begin && HasRoom(to)) [[likely]] {
        return Put(to, interval);
      }
    }
    AddAnywhere(track, interval);
  }

  // The interval that holds the nanosecond before `time`: begin < time <= end. Empty if it is not
  // kept, or if the track ends before.
  std::optional<ActivityInterval> Before(uint32_t track, uint64_t time);

  // The end of the last interval; 0 for a track without any.
  uint64_t EndOf(uint32_t track) const { return track < tracks_.size() ? tracks_[track].end : 0; }

 private:
  struct Chunk {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint16_t used = 0;
    std::array<uint8_t, kChunkBytes - 2 * sizeof(uint64_t) - 8> bytes;
  };
  static_assert(sizeof(Chunk) == kChunkBytes);
  struct Track {
    // Serial numbers of its chunks. The chunk of a number is overwritten `capacity_` numbers later.
    std::vector<uint64_t> chunks;
    uint64_t end = 0;
    Chunk* last = nullptr;     // of chunks.back()
    uint64_t last_serial = 0;  // chunks.back()
  };
  // The intervals of a chunk that was read lately.
  struct Decoded {
    uint64_t serial = 0;
    uint16_t used = 0;  // 0: none
    std::vector<ActivityInterval> intervals;
  };

  static constexpr size_t kBlockChunks = 4096;
  static constexpr size_t kMaxEntryBytes = 16;

  // An entry is a byte of activity and flags, the length, and the other party plus one (0: none).
  static constexpr uint8_t kActivityMask = 0xf;
  static constexpr uint8_t kByInterrupt = 0x10;

  static uint8_t* PutNumber(uint8_t* at, uint64_t value) {
    while (value >= 0x80) {
      *at++ = static_cast<uint8_t>(value | 0x80);
      value >>= 7;
    }
    *at++ = static_cast<uint8_t>(value);
    return at;
  }
  // Whether an entry fits into the last chunk of a track.
  bool HasRoom(const Track& track) const {
    return track.last != nullptr && IsKept(track.last_serial) &&
           track.last->used + kMaxEntryBytes <= track.last->bytes.size();
  }
  static void Put(Track& track, const ActivityInterval& interval) {
    Chunk& chunk = *track.last;
    uint8_t* at = chunk.bytes.data() + chunk.used;
    *at++ = static_cast<uint8_t>(static_cast<uint8_t>(interval.activity) |
                                 (interval.by_interrupt ? kByInterrupt : 0));
    at = PutNumber(at, interval.end - interval.begin);
    at = PutNumber(at, interval.other + 1);
    chunk.used = static_cast<uint16_t>(at - chunk.bytes.data());
    chunk.end = track.end = interval.end;
  }
  bool IsKept(uint64_t serial) const { return next_ - serial <= capacity_; }
  Chunk& ChunkOf(uint64_t serial) {
    const size_t slot = serial & (capacity_ - 1);
    return blocks_[slot / kBlockChunks][slot % kBlockChunks];
  }
  void AddChunk(Track& track, uint64_t begin);
  void AddAnywhere(uint32_t number, const ActivityInterval& interval);
  void Append(Track& track, const ActivityInterval& interval);
  const std::vector<ActivityInterval>& Decode(uint64_t serial);

  size_t capacity_;    // chunks
  uint64_t next_ = 0;  // serial number of the next chunk
  std::vector<std::unique_ptr<Chunk[]>> blocks_;
  std::vector<Track> tracks_;
  std::array<Decoded, 16> decoded_;
};

}  // namespace facts
