// SPDX-License-Identifier: BSD-2-Clause
// Records of a perf.data file into the order of time. A recorder drains one ring after the other,
// so a file is sorted only within what each of its rounds could still bring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

#include "perf/file/file_reader.h"

namespace perf {

// A record that owns its bytes.
struct OrderedRecord {
  // ns of the event's clock; 0 for a record without a time, which comes out before all others.
  uint64_t time = 0;
  perf_event_header header{};
  std::vector<std::byte> body;
  uint64_t file_offset = 0;
  std::optional<size_t> event;
};

class TimeOrder {
 public:
  // Holds at most about `max_bytes` of records. Beyond that the older half is let go, early as it
  // may be; a file without FINISHED_ROUND records (Linux 3.8) is held whole up to there.
  explicit TimeOrder(size_t max_bytes = kDefaultMaxBytes) : max_bytes_(max_bytes) {}

  static constexpr size_t kDefaultMaxBytes = 256 << 20;

  // Records of the same time come out as they went in.
  void Add(const FileRecord& record, uint64_t time);

  // FINISHED_ROUND: every ring was drained once more, so nothing older than the newest record of
  // the round before can follow.
  void FinishRound();
  // The end of the file: everything may come out.
  void Finish() { horizon_ = UINT64_MAX; }

  // The next record that nothing can precede any more.
  std::optional<OrderedRecord> Next();

  // Records that came out after a later one, because memory did not suffice.
  uint64_t late() const { return late_; }

 private:
  struct Held {
    uint64_t sequence;
    OrderedRecord record;
  };
  struct Later {
    bool operator()(const Held& a, const Held& b) const {
      return a.record.time != b.record.time ? a.record.time > b.record.time
                                            : a.sequence > b.sequence;
    }
  };

  size_t max_bytes_;
  std::priority_queue<Held, std::vector<Held>, Later> held_;
  size_t held_bytes_ = 0;
  bool draining_half_ = false;
  uint64_t sequence_ = 0;
  uint64_t horizon_ = 0;    // records up to this time may come out
  uint64_t newest_ = 0;     // latest time seen
  uint64_t round_end_ = 0;  // what it was at the end of the round before
  uint64_t last_out_ = 0;
  uint64_t late_ = 0;
};

// The time of a record in `TimeOrder`'s sense: that of the sample or the trailer, or a field of its
// own in records that have one.
uint64_t TimeOf(const Record& record);

}  // namespace perf
