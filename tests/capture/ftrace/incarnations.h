// SPDX-License-Identifier: BSD-2-Clause
// Tasks that had one id after the other.
#pragma once

#include "capture/ftrace/compare.h"

namespace truth {

// Two of them must not have one koid, nor one of them two: counts those that do in `result`, with
// examples, and how many ids were used again.
void CheckIncarnations(const SwitchLog& reference, const FxtLog& recorded,
                       const CompareOptions& options, Comparison* result);

}  // namespace truth
