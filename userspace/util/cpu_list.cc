// SPDX-License-Identifier: BSD-2-Clause
#include "util/cpu_list.h"

#include <algorithm>
#include <charconv>
#include <fstream>

namespace util {
namespace {

constexpr uint32_t kMaxCpu = 0xffff;

bool ParseNumber(std::string_view& text, uint32_t* number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  if (error != std::errc() || *number > kMaxCpu) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

}  // namespace

std::optional<std::vector<uint32_t>> ParseCpuList(std::string_view text) {
  // One bit per CPU, so that repeated ranges take no memory.
  std::vector<bool> named;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  for (;;) {
    uint32_t first = 0;
    if (!ParseNumber(text, &first)) return std::nullopt;
    uint32_t last = first;
    if (!text.empty() && text.front() == '-') {
      text.remove_prefix(1);
      if (!ParseNumber(text, &last) || last < first) return std::nullopt;
    }
    if (last >= named.size()) named.resize(last + 1);
    std::fill(named.begin() + first, named.begin() + last + 1, true);
    if (text.empty()) break;
    if (text.front() != ',') return std::nullopt;
    text.remove_prefix(1);
  }
  std::vector<uint32_t> cpus;
  for (uint32_t cpu = 0; cpu < named.size(); ++cpu) {
    if (named[cpu]) cpus.push_back(cpu);
  }
  return cpus;
}

std::vector<uint32_t> ReadCpuList(std::string_view which, const std::string& sysfs) {
  std::ifstream file(sysfs + "/devices/system/cpu/" + std::string(which));
  std::string text;
  if (std::getline(file, text)) {
    if (auto cpus = ParseCpuList(text)) return *cpus;
  }
  return {0};
}

}  // namespace util
