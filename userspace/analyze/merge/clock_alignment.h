// SPDX-License-Identifier: BSD-2-Clause
// Finds by how much the times of a trace have to be moved to match another trace.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyze/merge/trace_facts.h"
#include "util/result.h"

namespace analyze {

struct AlignmentOption {
  std::optional<TraceClock> clock;  // as stated by the user
  std::optional<int64_t> offset;    // ns, as stated by the user
};

struct Alignment {
  int64_t offset = 0;  // ns to add to the times of the trace
  bool known = false;  // false: the relation of the clocks is unknown, and times stay unchanged
  std::string how;     // the method and its accuracy, for messages
};

// Aligns each trace to the first one: by the stated offset, else by clock sync markers that two
// traces share, else by their clocks. Fails if a clock was stated and no trace relates it to the
// others.
util::Result<std::vector<Alignment>> AlignClocks(std::span<const TraceFacts> traces,
                                                 std::span<const AlignmentOption> options);

}  // namespace analyze
