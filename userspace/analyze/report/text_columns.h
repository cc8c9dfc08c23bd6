// SPDX-License-Identifier: BSD-2-Clause
// Figures as the columns of a text report have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyze/report/cpu_strips.h"
#include "measure/capture.h"

namespace analyze {

// A time with three digits that count: "7ns", "1.50us", "12.3ms", "101s".
std::string Short(uint64_t ns);

// No more than `width` bytes of a name, ".." where there were more; characters stay whole.
std::string CutName(std::string name, size_t width);

// Of lengths seen from begin to end, as Short() has them; "-" where there are none. P99 needs
// kCountForP99 of them, and a deviation two.
std::string P50(const measure::Distribution& times);
std::string P99(const measure::Distribution& times);
std::string Min(const measure::Distribution& times);
std::string Max(const measure::Distribution& times);
std::string Mean(const measure::Distribution& times);
std::string Deviation(const measure::Distribution& times);

// Quantiles need this many whole waits.
inline constexpr uint64_t kCountForP99 = 2'000;
inline constexpr uint64_t kCountForP999 = 20'000;

// The first `all` slots of a CPU as `width` (1 to `all`) columns: of each one the mean of `what`,
// as a part of a slot.
std::vector<double> Columns(const CpuStrips& strips, size_t cpu, size_t all, size_t width,
                            uint64_t CpuStrips::Slot::*what);

}  // namespace analyze
