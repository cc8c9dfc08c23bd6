// SPDX-License-Identifier: BSD-2-Clause
// Why branch stacks cannot be recorded on this machine, said so that a person knows what to do.
#pragma once

#include "perf/live/lbr_options.h"
#include "perf/live/pmu.h"
#include "util/result.h"

namespace perf {

// `error` is the errno of perf_event_open(2) for an attr with no optional features; `pmu` the one
// it was for.
util::Error ExplainOpenError(int error, const PmuSurvey& survey, const Pmu& pmu,
                             const LbrOptions& options);

// `error` is the errno of mmap(2) for a ring of `bytes`.
util::Error ExplainMapError(int error, size_t bytes);

}  // namespace perf
