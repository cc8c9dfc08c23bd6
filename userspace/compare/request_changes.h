// SPDX-License-Identifier: BSD-2-Clause
// What changed for the requests of a name, by part of their critical paths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/values/requests.h"
#include "measure/request_stats.h"

namespace comparison {

// Requests of one capture. us; quantiles where there are enough requests.
struct RequestFigures {
  uint64_t count = 0;
  double mean = 0;
  std::optional<double> p50 = std::nullopt;
  std::optional<double> p90 = std::nullopt;
  std::optional<double> p99 = std::nullopt;
};

// A part of the paths, ms a request: the mean of the captures of a side.
struct PartChange {
  measure::PathPart part;
  double base = 0;
  double next = 0;

  double change() const { return next - base; }
};

// Why requests take longer, or less long.
struct RequestCause {
  size_t part = 0;    // in RequestChange::parts: the largest one
  double change = 0;  // ms a request, of all parts of one cause
};

struct RequestChange {
  std::string name;
  std::vector<std::optional<RequestFigures>> base_captures;
  std::vector<std::optional<RequestFigures>> next_captures;
  std::vector<PartChange> parts;  // those that differ most first; of a request's own time all

  // ms a request, of all parts.
  double change() const;
  // The cause of a change with the sign of `direction`: a part on the request's own thread, its
  // waits for a CPU together, or all parts of a thread that it waits for. Nothing without such a
  // change. `of_quantile`: ms, the change of a quantile; 0: of the mean. Parts are means: if waits
  // for a CPU are more than all of it, only some requests have them, and another part that explains
  // the quantile is the cause.
  std::optional<RequestCause> CauseOf(double direction, double of_quantile = 0) const;
};

// The first `bases` captures are the base.
RequestChange ChangeOf(const SharedRequest& request, size_t bases);

}  // namespace comparison
