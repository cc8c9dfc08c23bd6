// SPDX-License-Identifier: BSD-2-Clause
// Critical paths in formats of other tools.
#pragma once

#include "analyze/path/path_set.h"
#include "text/text_writer.h"

namespace analyze {

// One JSON object; docs/critical-path.md has its fields. Times and lengths are ns.
void WritePathJson(text::TextWriter& out, const PathSet& set);

// Folded stacks: the request's name, the threads from the request's own one on, the part; then ns.
void WritePathFolded(text::TextWriter& out, const PathSet& set);

}  // namespace analyze
