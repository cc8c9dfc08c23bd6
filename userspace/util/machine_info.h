// SPDX-License-Identifier: BSD-2-Clause
// Describes the machine.
#pragma once

#include <cstdint>
#include <string>

namespace util {

struct MachineInfo {
  std::string kernel;     // release, as uname -r
  std::string machine;    // architecture, as uname -m
  std::string host;       // host name
  std::string cpu_model;  // from <proc>/cpuinfo; empty if that has no model
  uint32_t cpus = 0;      // online
};

MachineInfo ReadMachineInfo(const std::string& proc = "/proc", const std::string& sys = "/sys");

// Now, in RFC 3339 with the local offset: 2026-01-31T12:34:56.789+01:00.
std::string WallClockNow();
// The wall clock `ago` ns before now, in the same form.
std::string WallClockBefore(uint64_t ago);

}  // namespace util
