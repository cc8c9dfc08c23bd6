// SPDX-License-Identifier: BSD-2-Clause
// A source of raw events that comes by perf's rings: what the branch recorder, the stack sampler
// and the tracepoint recorder have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "capture/bpf/program_options.h"
#include "capture/event_handler.h"
#include "capture/perf_queue.h"
#include "util/result.h"

namespace capture {

class PerfSource {
 public:
  virtual ~PerfSource() = default;

  // Only events of these tasks are kept; names and cgroups cannot be told from a sample.
  // `is_followed` tells it of a thread id.
  void SetFilter(const TaskFilter& filter, std::function<bool(uint32_t)> is_followed);

  virtual util::Status Enable() = 0;
  // `now` is the kernel's CLOCK_MONOTONIC, ns, for losses that bear no time.
  virtual void Disable(uint64_t now) = 0;
  virtual std::vector<int> fds() const = 0;
  // No events until Enable() is called again; what there is stays to be collected.
  virtual void Silence() = 0;
  // Moves what the rings hold into the queue.
  virtual void Collect(uint64_t now) = 0;
  // What a person should hear of, once: a CPU that came online and has no event. Empty: nothing.
  virtual std::string TakeProblem() { return ""; }

  // Time of the first one waiting, ns of CLOCK_MONOTONIC; UINT64_MAX: none.
  uint64_t NextTime() { return queue_.NextTime(); }
  // Hands the first one over.
  void DeliverNext(EventHandler& handler) { queue_.DeliverNext(handler); }

 protected:
  // Losses are told as the category's.
  explicit PerfSource(fxr_category category) : queue_(category) {}

  bool IsWanted(uint32_t tid, uint32_t tgid) const;
  // Mappings and losses go to the queue; anything else is left alone. `time`: of what bears none.
  void TakeCommon(unsigned cpu, const perf::Record& record, uint64_t time);
  PerfQueue& queue() { return queue_; }

 private:
  PerfQueue queue_;
  TaskFilter filter_;
  std::function<bool(uint32_t)> is_followed_;
};

}  // namespace capture
