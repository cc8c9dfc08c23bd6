// SPDX-License-Identifier: BSD-2-Clause
// The stacks of a trace, for the subcommands that show flame graphs.
#pragma once

#include <string>

#include "analyze/flame/flame_stacks.h"
#include "util/result.h"

namespace tools {

// Reads all of `file`, with progress, and tells on standard error what is missing: stacks of that
// kind, symbols. Errors: it cannot be read.
util::Result<analyze::FoldedStacks> ReadStacks(const std::string& file, analyze::FlameKind kind,
                                               const analyze::LbrSymbolOptions& symbols);

// The kind of that name; the error names those that there are.
util::Result<analyze::FlameKind> ParseFlameKind(const std::string& name);

}  // namespace tools
