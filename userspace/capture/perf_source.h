// SPDX-License-Identifier: BSD-2-Clause
// Base class of the sources of perf records: branches, stack samples and tracepoints.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "capture/bpf/program_options.h"
#include "capture/event_handler.h"
#include "capture/mapped_build_ids.h"
#include "fxt_record/event.h"
#include "perf/record/branch_stack_sample.h"
#include "perf/record/record_decoder.h"
#include "util/result.h"

namespace capture {

// Queues records of perf's rings until their place in the time-ordered stream.
class PerfQueue {
 public:
  // The bytes of a struct fxr_long, as in the side ring.
  using Event = std::vector<uint64_t>;

  // Losses are counted for `category`.
  explicit PerfQueue(fxr_category category) : category_(category) {}

  // Times are ns of CLOCK_MONOTONIC, in any order.
  void Add(uint64_t time, perf::BranchStackSample sample);
  void Add(uint64_t time, Event event);
  // Copies the record's file name.
  void Add(uint64_t time, const perf::MmapRecord& mapping);
  void AddLoss(uint64_t time, unsigned cpu, uint64_t count);

  // Time of the first entry; UINT64_MAX: none.
  uint64_t NextTime();
  // Delivers the first entry and removes it.
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
  size_t sorted_ = 0;  // entries at the front that are sorted
};

class PerfSource {
 public:
  virtual ~PerfSource() = default;

  // Keeps only events of the selected tasks. A sample has no name and no cgroup, so those filters
  // work through `is_followed`, which takes a tid.
  void SetFilter(const TaskFilter& filter, std::function<bool(uint32_t)> is_followed);

  virtual util::Status Enable() = 0;
  // `now` is the kernel's CLOCK_MONOTONIC, ns, for losses without a time.
  virtual void Disable(uint64_t now) = 0;
  virtual std::vector<int> fds() const = 0;
  // Suspends events until Enable(); pending ones can still be collected.
  virtual void Silence() = 0;
  // Moves the records of the rings into the queue.
  virtual void Collect(uint64_t now) = 0;
  // Returns a message for the user, once, for instance that a new CPU has no event; else empty.
  virtual std::string TakeProblem() { return ""; }

  // Time of the first queued record, ns of CLOCK_MONOTONIC; UINT64_MAX: none.
  uint64_t NextTime() { return queue_.NextTime(); }
  // Delivers the first queued record and removes it.
  void DeliverNext(EventHandler& handler) { queue_.DeliverNext(handler); }

 protected:
  // Losses are counted for `category`.
  explicit PerfSource(fxr_category category) : queue_(category) {}

  bool IsWanted(uint32_t tid, uint32_t tgid) const;
  // Queues mappings and losses; ignores other records. `time` is used for records without one.
  void TakeCommon(unsigned cpu, const perf::Record& record, uint64_t time);
  PerfQueue& queue() { return queue_; }

 private:
  PerfQueue queue_;
  MappedBuildIds build_ids_;
  TaskFilter filter_;
  std::function<bool(uint32_t)> is_followed_;
};

}  // namespace capture
