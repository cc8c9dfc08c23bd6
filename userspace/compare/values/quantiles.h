// SPDX-License-Identifier: BSD-2-Clause
// Quantiles of the waits of one side, for show.
#pragma once

#include <optional>
#include <span>

#include "measure/capture.h"

namespace comparison {

// The length (ns) below or at which the fraction `q` of all waits of these captures lies. Nothing
// when a capture has too few waits for it: 20 for the median, 2,000 for q = 0.99, 20,000 for 0.999.
// Waits that were cut by an edge are at least so long; where they are above 1%, the estimate of
// Kaplan and Meier counts with them, and has no value where the last waits were cut.
std::optional<double> QuantileOf(std::span<const measure::Distribution* const> captures, double q);

}  // namespace comparison
