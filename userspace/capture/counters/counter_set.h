// SPDX-License-Identifier: BSD-2-Clause
// The events that --counters names, one of each per CPU, which count from the moment they are
// opened. BPF programs read them at each switch.
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
    uint32_t counter = 0;  // place of its name
    util::UniqueFd fd;
  };

  // The names that there are, as perf(1) has them.
  static std::vector<std::string> KnownNames();
  // "cycles,instructions": in this order, each once, eight at most. Error: an unknown name, with
  // the nearest one.
  static util::Result<std::vector<std::string>> ParseNames(std::string_view list);

  CounterSet() = default;
  // Opens them on every online CPU. Error: which one this machine does not count, and why. `root`
  // stands before /sys and /proc.
  static util::Result<CounterSet> Open(const std::vector<std::string>& names);
  static util::Result<CounterSet> Open(const std::vector<std::string>& names,
                                       perf::PerfSyscalls& kernel, const std::string& root);

  std::span<const Event> events() const { return events_; }
  // Of those that did not count all the time, as there are more than the CPU has registers for:
  // what to tell a person. Empty: none.
  std::string DescribeMultiplexing() const;

 private:
  std::vector<std::string> names_;
  std::vector<Event> events_;
};

}  // namespace capture
