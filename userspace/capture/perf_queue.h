// SPDX-License-Identifier: BSD-2-Clause
// What came out of perf's rings, waiting in the order of time for its place in the stream.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <variant>
#include <vector>

#include "capture/event_handler.h"
#include "fxt_record/event.h"
#include "perf/record/branch_stack_sample.h"
#include "perf/record/record_decoder.h"

namespace capture {

class PerfQueue {
 public:
  // The bytes of a struct fxr_long, as an event of the side ring has them.
  using Event = std::vector<uint64_t>;

  // Losses are told as the category's.
  explicit PerfQueue(fxr_category category) : category_(category) {}

  // Times are ns of CLOCK_MONOTONIC, in any order.
  void Add(uint64_t time, perf::BranchStackSample sample);
  void Add(uint64_t time, Event event);
  // The record's file is copied.
  void Add(uint64_t time, const perf::MmapRecord& mapping);
  void AddLoss(uint64_t time, unsigned cpu, uint64_t count);

  // Of the first one; UINT64_MAX: none.
  uint64_t NextTime();
  // Hands the first one over.
  void DeliverNext(EventHandler& handler);

 private:
  struct Mapping {
    perf::MmapRecord record;
    std::string file;
  };
  struct Loss {
    unsigned cpu = 0;
    uint64_t count = 0;
  };
  struct Item {
    uint64_t time = 0;
    std::variant<perf::BranchStackSample, Event, Mapping, Loss> what;
  };

  void Add(Item item);
  void Sort();

  fxr_category category_;
  std::deque<Item> items_;
  size_t sorted_ = 0;  // so many at the front are in their order
};

}  // namespace capture
