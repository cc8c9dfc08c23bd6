// SPDX-License-Identifier: BSD-2-Clause
// By how much the times of a trace have to be moved to be those of another one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyze/merge/trace_facts.h"
#include "util/result.h"

namespace analyze {

struct AlignmentWish {
  std::optional<TraceClock> clock;  // as the user states it
  std::optional<int64_t> offset;    // ns, as the user states it
};

struct Alignment {
  int64_t offset = 0;  // ns to add to the times of the trace
  bool known = false;  // false: nothing says how the clocks stand, and times are taken as they are
  std::string how;     // in words, with how well
};

// Of each trace to the first one: by the offset that was wished for, else by clock sync markers
// that two traces have, else by what their clocks are. Error: a clock was stated, and no trace says
// how it stands to the others.
util::Result<std::vector<Alignment>> AlignClocks(std::span<const TraceFacts> traces,
                                                 std::span<const AlignmentWish> wishes);

}  // namespace analyze
