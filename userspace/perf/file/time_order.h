// SPDX-License-Identifier: BSD-2-Clause
// Sorts records of a perf.data file by time. perf drains one ring after the other, so a file is
// sorted only up to a round of its drains.
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
  // ns of the event's clock; 0 for a record without a time, which sorts first.
  uint64_t time = 0;
  perf_event_header header{};
  std::vector<std::byte> body;
  uint64_t file_offset = 0;
  std::optional<size_t> event;
};

class TimeOrder {
 public:
  // Holds at most about `max_bytes` of records. At the limit the older half is released early.
  // Without FINISHED_ROUND records (Linux 3.8) all records are held up to the limit.
  explicit TimeOrder(size_t max_bytes = kDefaultMaxBytes) : max_bytes_(max_bytes) {}

  static constexpr size_t kDefaultMaxBytes = 256 << 20;

  // The order of records with equal times is kept.
  void Add(const FileRecord& record, uint64_t time);

  // FINISHED_ROUND: every ring was drained once more, so no record older than the newest of the
  // previous round can follow.
  void FinishRound();
  // The end of the file: releases everything.
  void Finish() { horizon_ = UINT64_MAX; }

  // The next record in time order; empty if later input may precede it.
  std::optional<OrderedRecord> Next();

  // Records that were released out of order, because of the memory limit.
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
  uint64_t horizon_ = 0;    // records up to this time may be released
  uint64_t newest_ = 0;     // latest time so far
  uint64_t round_end_ = 0;  // newest_ at the end of the previous round
  uint64_t last_out_ = 0;
  uint64_t late_ = 0;
};

// The time by which TimeOrder sorts a record: that of the sample or the trailer, or a field of the
// record.
uint64_t TimeOf(const Record& record);

}  // namespace perf
