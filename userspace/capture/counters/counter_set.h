// SPDX-License-Identifier: BSD-2-Clause
// The perf events of --counters, one of each per CPU. They count from opening on; BPF programs read
// them at each switch.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"
#include "util/unique_fd.h"

namespace perf {
class PerfSyscalls;
}

namespace capture {

class CounterSet {
 public:
  struct Event {
    uint32_t cpu = 0;
    uint32_t counter = 0;  // index of its name
    util::UniqueFd fd;
  };

  // The supported names, those of perf(1).
  static std::vector<std::string> KnownNames();
  // Parses "cycles,instructions": in this order, without duplicates, at most eight. An unknown name
  // is an error with the nearest one.
  static util::Result<std::vector<std::string>> ParseNames(std::string_view list);

  CounterSet() = default;
  // Opens the events on every online CPU. The error names the event and the reason. `root` is
  // prepended to /sys and /proc.
  static util::Result<CounterSet> Open(const std::vector<std::string>& names);
  static util::Result<CounterSet> Open(const std::vector<std::string>& names,
                                       perf::PerfSyscalls& kernel, const std::string& root);

  std::span<const Event> events() const { return events_; }
  // A message about counters that perf multiplexed, because the CPU has too few registers. Empty:
  // none.
  std::string DescribeMultiplexing() const;

 private:
  std::vector<std::string> names_;
  std::vector<Event> events_;
};

}  // namespace capture
