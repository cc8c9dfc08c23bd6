// SPDX-License-Identifier: BSD-2-Clause
// Compares two records of the same seconds, switch by switch on each CPU.
#pragma once

#include "capture/ftrace/comparison.h"
#include "capture/ftrace/fxt_log.h"
#include "capture/ftrace/switch_log.h"

namespace truth {

Comparison Compare(const SwitchLog& reference, const FxtLog& recorded,
                   const CompareOptions& options);

}  // namespace truth
