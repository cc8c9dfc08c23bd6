// SPDX-License-Identifier: BSD-2-Clause
// Scenarios of who gets the CPUs.
#include <string>

#include "regress/planted/parts.h"
#include "regress/planted/scenarios.h"

namespace planted {
namespace {

void WorkAllTheTime(Clock::time_point end) {
  while (Clock::now() < end) Work(microseconds(100));
}

}  // namespace

int CpuHog(const Options& options) {
  Processes processes;
  processes.Start("media", [&] {
    const auto end = Clock::now() + options.length;
    Threads threads;
    for (int i = 0; i < 3; ++i) {
      threads.Start("decoder-" + std::to_string(i),
                    [end] { WorkAtAPace(end, milliseconds(5), microseconds(400)); });
    }
    threads.Start("indexer", [end, &options] {
      if (options.slow) {
        WorkAllTheTime(end);
      } else {
        WorkAtAPace(end, milliseconds(50), milliseconds(1));
      }
    });
  });
  return 0;
}

int NoisyNeighbour(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("api", [end] {
    Threads threads;
    for (int i = 0; i < 3; ++i) {
      threads.Start("handler-" + std::to_string(i),
                    [end] { WorkAtAPace(end, milliseconds(3), microseconds(200)); });
    }
  });
  const unsigned cpus = std::thread::hardware_concurrency();
  for (unsigned i = 0; i < cpus; ++i) {
    processes.Start("backup", [end, &options] {
      if (options.slow) {
        WorkAllTheTime(end);
      } else {
        WorkAtAPace(end, milliseconds(100), milliseconds(1));
      }
    });
  }
  return 0;
}

int Pinning(const Options& options) {
  Processes processes;
  processes.Start("render", [&] {
    if (options.slow) PinToLastCpu();
    const auto end = Clock::now() + options.length;
    Threads threads;
    // One CPU has time for all of them, but not at once.
    for (int i = 0; i < 4; ++i) {
      threads.Start("tile-" + std::to_string(i),
                    [end] { WorkAtAPace(end, milliseconds(20), microseconds(5500)); });
    }
  });
  return 0;
}

}  // namespace planted
