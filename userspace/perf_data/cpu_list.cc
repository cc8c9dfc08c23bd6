// SPDX-License-Identifier: BSD-2-Clause
#include "perf_data/cpu_list.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <fstream>

namespace perf_data {

namespace {

// Eight times the largest CONFIG_NR_CPUS.
constexpr unsigned kMaxCpu = 65535;

bool TakeNumber(std::string_view* text, unsigned* number) {
  const auto parsed = std::from_chars(text->data(), text->data() + text->size(), *number);
  if (parsed.ec != std::errc() || *number > kMaxCpu) return false;
  text->remove_prefix(static_cast<size_t>(parsed.ptr - text->data()));
  return true;
}

}  // namespace

util::Result<std::vector<unsigned>> ParseCpuList(std::string_view text) {
  const util::Error bad{fmt::format("\"{}\" is not a list of CPUs", text.substr(0, 100)), ""};
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  std::vector<unsigned> cpus;
  while (!text.empty()) {
    unsigned first;
    if (!TakeNumber(&text, &first)) return bad;
    unsigned last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      if (!TakeNumber(&text, &last) || last < first) return bad;
    }
    for (unsigned cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    if (text.empty()) break;
    if (!text.starts_with(',') || text.size() == 1) return bad;
    text.remove_prefix(1);
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

util::Result<std::vector<unsigned>> ReadCpuList(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) {
    return util::Error{fmt::format("{}: cannot read", path), ""};
  }
  return ParseCpuList(line);
}

}  // namespace perf_data
