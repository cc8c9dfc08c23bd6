// SPDX-License-Identifier: BSD-2-Clause
#include "util/machine_info.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <array>
#include <ctime>
#include <fstream>
#include <string_view>

#include "util/cpu_list.h"

namespace util {

MachineInfo ReadMachineInfo(const std::string& proc, const std::string& sys) {
  MachineInfo info;
  utsname name{};
  if (uname(&name) == 0) {
    info.kernel = name.release;
    info.machine = name.machine;
    info.host = name.nodename;
  }
  info.cpus = static_cast<uint32_t>(ReadCpuList("online", sys).size());
  std::ifstream cpuinfo(proc + "/cpuinfo");
  std::string line;
  while (std::getline(cpuinfo, line)) {
    if (!line.starts_with("model name") && !line.starts_with("Model")) continue;
    size_t colon = line.find(": ");
    if (colon != std::string::npos) info.cpu_model = line.substr(colon + 2);
    break;
  }
  return info;
}

std::string WallClockNow() { return WallClockBefore(0); }

std::string WallClockBefore(uint64_t ago) {
  constexpr uint64_t kSecond = 1'000'000'000;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const uint64_t moment =
      static_cast<uint64_t>(now.tv_sec) * kSecond + static_cast<uint64_t>(now.tv_nsec) - ago;
  now.tv_sec = static_cast<time_t>(moment / kSecond);
  now.tv_nsec = static_cast<long>(moment % kSecond);
  tm local{};
  localtime_r(&now.tv_sec, &local);
  std::array<char, 64> date{};
  strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &local);
  long minutes = local.tm_gmtoff / 60;
  return fmt::format("{}.{:03}{}{:02}:{:02}", date.data(), now.tv_nsec / 1'000'000,
                     minutes < 0 ? '-' : '+', std::abs(minutes) / 60, std::abs(minutes) % 60);
}

}  // namespace util
