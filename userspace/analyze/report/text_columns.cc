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

std::string CutName(std::string name, size_t width) {
  if (name.size() <= width) return name;
  size_t end = width - 2;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
  return name.substr(0, end) + "..";
}

std::string P50(const measure::Distribution& times) {
  return times.whole.empty() ? "-" : Short(times.Quantile(0.5));
}
std::string P99(const measure::Distribution& times) {
  return times.whole.count() < kCountForP99 ? "-" : Short(times.Quantile(0.99));
}
std::string Min(const measure::Distribution& times) {
  return times.whole.empty() ? "-" : Short(times.Quantile(0));
}
std::string Max(const measure::Distribution& times) {
  return times.whole.empty() ? "-" : Short(times.longest_ns);
}
std::string Mean(const measure::Distribution& times) {
  return times.whole.empty() ? "-" : Short(times.Mean());
}
std::string Deviation(const measure::Distribution& times) {
  if (times.whole.count() < 2) return "-";
  return Short(static_cast<uint64_t>(times.whole.StandardDeviation() + 0.5));
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
