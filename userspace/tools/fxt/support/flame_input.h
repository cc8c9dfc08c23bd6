// SPDX-License-Identifier: BSD-2-Clause
// Reads the stacks of a trace for flame graphs.
#pragma once

#include <string>

#include "analyze/flame/flame_stacks.h"
#include "analyze/rewrite/record_filter.h"
#include "util/result.h"

namespace tools {

// Which stacks of a trace are read.
struct StackSelection {
  analyze::RecordFilter filter;  // times, threads and processes alone
  uint64_t min_away = 0;         // ns; see analyze::FlameSelection
  bool hide_idle = false;        // see analyze::FlameSelection
};

// Reads all of `file`, with the names of the trace (see analyze::JoinNames()), with progress, and warns on standard error about missing stacks and symbols.
// Fails if it is unreadable.
util::Result<analyze::FoldedStacks> ReadStacks(const std::string& file, analyze::FlameKind kind,
                                               const analyze::LbrSymbolOptions& symbols,
                                               StackSelection selection = {});

// The kind of that name; an error lists the known ones.
util::Result<analyze::FlameKind> ParseFlameKind(const std::string& name);

}  // namespace tools
