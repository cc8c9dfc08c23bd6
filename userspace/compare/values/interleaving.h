// SPDX-License-Identifier: BSD-2-Clause
// Whether two sets of captures were recorded in turns.
#pragma once

#include "compare/statistics/moderated_test.h"
#include "compare/values/groups.h"

namespace comparison {

// Of two pairs there is one difference to see a variance in.
inline constexpr size_t kLeastPairs = 3;

// Positions in the base (the first `bases` captures) and in the new captures that belong together,
// because the times at which they began alternate (ABAB, or ABBA); none when they do not, when
// there are too few, or when a time is not known.
Pairs TurnsOf(Captures captures, size_t bases);

}  // namespace comparison
