// SPDX-License-Identifier: BSD-2-Clause
#include "measure/missing.h"

#include <algorithm>

namespace measure {
namespace {

// Fewer may lack anything by chance.
constexpr uint64_t kEnough = 20;

uint64_t CountOf(const Distribution& times) {
  return times.whole.count() + times.cut.count() + times.unknown;
}

}  // namespace

bool HasSwitches(const Capture& capture) {
  return std::any_of(capture.groups.begin(), capture.groups.end(),
                     [](const Group& group) { return CountOf(group.of(Duration::kSlice)) != 0; });
}

std::vector<std::string> WhatIsMissing(const Capture& capture) {
  if (!HasSwitches(capture)) {
    return {"there are no context switches: runs, waits and their causes are unknown"};
  }
  uint64_t runs = 0;
  uint64_t to_sleep = 0;
  uint64_t runnable = 0;
  uint64_t wakeups = 0;
  bool has_threads = false;
  bool has_processes = false;
  for (const Group& group : capture.groups) {
    runs += group.of(Duration::kSlice).whole.count();
    to_sleep += group.switches_voluntary;
    runnable += group.switches_involuntary;
    wakeups += group.wakeups;
    has_threads = has_threads || !group.name.thread.empty();
    has_processes = has_processes || !group.name.process.empty();
  }
  std::vector<std::string> missing;
  if (!has_threads && !has_processes) {
    missing.emplace_back("threads and processes have no names: all threads are one group");
  } else if (!has_threads) {
    missing.emplace_back("threads have no names: the threads of a process are one group");
  } else if (!has_processes) {
    missing.emplace_back(
        "processes have no names: threads of one name are one group, also of different processes");
  }
  const bool has_states = to_sleep != 0 || runs < kEnough;
  if (!has_states && runnable != 0) {
    missing.emplace_back(
        "no thread leaves a CPU to sleep: states of threads are not recorded, and sleeping counts "
        "as waiting for a CPU");
  } else if (!has_states) {
    missing.emplace_back(
        "states of threads are not recorded: their states off the CPU are unknown");
  }
  if (wakeups == 0 && runs >= kEnough) {
    missing.emplace_back(
        "there are no wakeups: the ends of sleeps and the begins of waits for a CPU are unknown");
  }
  return missing;
}

}  // namespace measure
