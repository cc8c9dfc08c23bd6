// SPDX-License-Identifier: BSD-2-Clause
// Programs with a planted change: each has a base form and a slow form, which differ in one thing.
// `fxt diff` has to name that thing. tests/regress/expectations.json says what counts as naming it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace planted {

struct Options {
  bool slow = false;
  // The run time. The request in progress at that time is completed.
  std::chrono::milliseconds length{3400};
  // The folder for files. On a tmpfs the scenarios of disks wait for nothing.
  std::string folder = "/var/tmp";
};

struct Scenario {
  const char* name;
  const char* change;  // what the slow form does, for --help
  // Runs the program to its end and returns the exit status of the process.
  int (*run)(const Options& options);
};

std::vector<Scenario> RequestScenarios();
std::vector<Scenario> LockScenarios();
std::vector<Scenario> QueueScenarios();
std::vector<Scenario> DiskScenarios();
std::vector<Scenario> CpuScenarios();
std::vector<Scenario> MemoryScenarios();
std::vector<Scenario> NetworkScenarios();
std::vector<Scenario> SchedulingScenarios();
std::vector<Scenario> ProcessScenarios();

}  // namespace planted
