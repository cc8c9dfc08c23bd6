// SPDX-License-Identifier: BSD-2-Clause
// Figures as the columns of a text report have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyze/report/cpu_strips.h"

namespace analyze {

// A time with three digits that count: "7ns", "1.50us", "12.3ms", "101s".
std::string Short(uint64_t ns);

// The first `all` slots of a CPU as `width` (1 to `all`) columns: of each one the mean of `what`,
// as a part of a slot.
std::vector<double> Columns(const CpuStrips& strips, size_t cpu, size_t all, size_t width,
                            uint64_t CpuStrips::Slot::*what);

}  // namespace analyze
