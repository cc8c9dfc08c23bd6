// SPDX-License-Identifier: BSD-2-Clause
// Explains why branch stacks cannot be recorded on this machine, with a remedy.
#pragma once

#include "perf/live/lbr_options.h"
#include "perf/live/pmu.h"
#include "util/result.h"

namespace perf {

// `error` is the errno of perf_event_open(2) for an attr without optional features on `pmu`.
util::Error ExplainOpenError(int error, const PmuSurvey& survey, const Pmu& pmu,
                             const LbrOptions& options);

// `error` is the errno of mmap(2) for a ring of `bytes`.
util::Error ExplainMapError(int error, size_t bytes);

}  // namespace perf
