// SPDX-License-Identifier: BSD-2-Clause
// Quantiles of the waits of one side, for show.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "measure/capture.h"

namespace comparison {

// For each of `q`, ascending: the length (ns) below or at which that fraction of all waits of these
// captures lies. Nothing when a capture has too few waits for it: 20 for the median, 2,000 for
// 0.99, 20,000 for 0.999. Waits that were cut by an edge are at least so long; where they are above
// 1%, the estimate of Kaplan and Meier counts with them, and has no value where the last waits were
// cut.
std::vector<std::optional<double>> QuantilesOf(
    std::span<const measure::Distribution* const> captures, std::span<const double> q);
// Of one.
std::optional<double> QuantileOf(std::span<const measure::Distribution* const> captures, double q);

}  // namespace comparison
