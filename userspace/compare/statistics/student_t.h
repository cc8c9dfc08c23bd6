// SPDX-License-Identifier: BSD-2-Clause
// Student's t distribution.
#pragma once

namespace comparison {

// The probability of a value above `t`. `degrees` of freedom above 0; `t` may be infinite.
double StudentTail(double t, double degrees);

// The value that is exceeded with the probability `tail`, which is above 0 and below 1.
double StudentQuantile(double tail, double degrees);

}  // namespace comparison
