// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/report/text_columns.h"

#include <fmt/format.h>

#include <algorithm>

namespace analyze {

std::string Short(uint64_t ns) {
  const auto value = static_cast<double>(ns);
  const auto text = [](double number, const char* unit) {
    if (number < 9.995) return fmt::format("{:.2f}{}", number, unit);
    return number < 99.95 ? fmt::format("{:.1f}{}", number, unit)
                          : fmt::format("{:.0f}{}", number, unit);
  };
  if (ns < 1000) return fmt::format("{}ns", ns);
  if (value < 999.5e3) return text(value / 1e3, "us");
  if (value < 999.5e6) return text(value / 1e6, "ms");
  return text(value / 1e9, "s");
}

std::vector<double> Columns(const CpuStrips& strips, size_t cpu, size_t all, size_t width,
                            uint64_t CpuStrips::Slot::*what) {
  const std::vector<CpuStrips::Slot>& slots = strips.cpus()[cpu];
  std::vector<double> columns;
  for (size_t i = 0; i < width; ++i) {
    const size_t first = i * all / width;
    const size_t behind = std::max(first + 1, (i + 1) * all / width);
    uint64_t sum = 0;
    for (size_t slot = first; slot < behind && slot < slots.size(); ++slot) {
      sum += slots[slot].*what;
    }
    columns.push_back(static_cast<double>(sum) /
                      static_cast<double>((behind - first) * strips.width()));
  }
  return columns;
}

}  // namespace analyze
