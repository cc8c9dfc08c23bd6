// SPDX-License-Identifier: BSD-2-Clause
// Reads the stacks of a trace for flame graphs.
#pragma once

#include <set>
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

// Further data of one of several traces.
struct StackReading {
  analyze::FoldedStacks events;      // occurrences of each stack
  std::set<std::string> notes = {};  // printed already; each is printed once
};

// Reads all of `file`, with the names of the trace (see analyze::JoinNames()), with progress, and
// warns on standard error about missing stacks and symbols. `more` may be null. Fails if the file
// is unreadable, or has no stacks of the kind.
util::Result<analyze::FoldedStacks> ReadStacks(const std::string& file, analyze::FlameKind kind,
                                               const analyze::LbrSymbolOptions& symbols,
                                               StackSelection selection = {},
                                               StackReading* more = nullptr);

// The kind of that name; an error lists the known ones.
util::Result<analyze::FlameKind> ParseFlameKind(const std::string& name);

}  // namespace tools
