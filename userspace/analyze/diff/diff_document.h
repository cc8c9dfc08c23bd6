// SPDX-License-Identifier: BSD-2-Clause
// Builds the document of `fxt diff` from a comparison.
#pragma once

#include <cstddef>

#include "analyze/diff/stack_change.h"
#include "analyze/document/document.h"
#include "compare/diff_report.h"

namespace analyze {

// JSON has every row (docs/diff-schema.json). Text and Markdown have the first `top` findings; 0:
// all. `stacks` are of rows of the report.
document::Document DiffDocument(const comparison::DiffReport& report, size_t top,
                                const StackChanges& stacks = {});

}  // namespace analyze
