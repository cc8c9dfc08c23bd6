// SPDX-License-Identifier: BSD-2-Clause
// Folded stacks in formats of other tools.
#pragma once

#include "analyze/flame/flame_stacks.h"
#include "text/text_writer.h"

namespace analyze {

// A line per stack, "process;thread;outermost;...;innermost COUNT". With `base` the line has both
// counts, that of the base first, and there are lines for the stacks of either.
void WriteFolded(text::TextWriter& out, const FoldedStacks& stacks, const FoldedStacks* base);

// One profile in the format of speedscope
// (https://www.speedscope.app/file-format-schema.json).
void WriteSpeedscope(text::TextWriter& out, const FoldedStacks& stacks, FlameKind kind,
                     std::string_view name);

}  // namespace analyze
