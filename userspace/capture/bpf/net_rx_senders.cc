// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/net_rx_senders.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace capture {
namespace {

// Index of the field of softnet_stat with the interrupts of other CPUs that steered packets to this
// one. The file has a line per CPU, and its fields are hexadecimal (net/core/net-procfs.c).
constexpr int kReceivedRps = 9;

bool HasSteeredPackets(std::istream& statistics) {
  for (std::string line; std::getline(statistics, line);) {
    std::istringstream fields(line);
    uint64_t value = 0;
    int field = 0;
    while (field <= kReceivedRps && fields >> std::hex >> value) ++field;
    if (field <= kReceivedRps || value != 0) return true;
  }
  return false;
}

bool IsEmptyFolder(const std::string& path) {
  std::error_code error;
  const std::filesystem::directory_iterator entries(path, error);
  return error || entries == std::filesystem::directory_iterator();
}

}  // namespace

bool AreNetRxSendersKnown(const std::string& proc, const std::string& sys) {
  std::ifstream statistics(proc + "/net/softnet_stat");
  return statistics && !HasSteeredPackets(statistics) && IsEmptyFolder(sys + "/bus/vmbus/devices");
}

}  // namespace capture
