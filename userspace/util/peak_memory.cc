// SPDX-License-Identifier: BSD-2-Clause
#include "util/peak_memory.h"

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace util {

uint64_t PeakMemory() {
  constexpr std::string_view kField = "VmHWM:";
  constexpr uint64_t kKiB = 1024;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(kField))
      return std::strtoull(line.c_str() + kField.size(), nullptr, 10) * kKiB;
  }
  return 0;
}

}  // namespace util
