// SPDX-License-Identifier: BSD-2-Clause
// Folded stacks in the forms that other tools read.
#pragma once

#include "analyze/flame/flame_stacks.h"
#include "text/text_writer.h"

namespace analyze {

// A line per stack, "process;thread;outermost;...;innermost COUNT"; with `base` its count there
// stands before that of `stacks`, and stacks of either are listed.
void WriteFolded(text::TextWriter& out, const FoldedStacks& stacks, const FoldedStacks* base);

// One profile in speedscope's own format
// (https://www.speedscope.app/file-format-schema.json).
void WriteSpeedscope(text::TextWriter& out, const FoldedStacks& stacks, FlameKind kind,
                     std::string_view name);

}  // namespace analyze
