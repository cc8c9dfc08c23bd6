// SPDX-License-Identifier: BSD-2-Clause
// Tasks with the same thread id in sequence.
#pragma once

#include "capture/ftrace/compare.h"

namespace truth {

// Two of them must not share a koid, and one must not have two. Counts violations, with examples,
// and the reused ids in `result`.
void CheckIncarnations(const SwitchLog& reference, const FxtLog& recorded,
                       const CompareOptions& options, Comparison* result);

}  // namespace truth
