// SPDX-License-Identifier: BSD-2-Clause
// `fxt flame --format html`, and its data for other pages.
#pragma once

#include <string>
#include <string_view>

#include "analyze/flame/flame_stacks.h"

namespace analyze {

// With `base`, frames are coloured by how much more or less there is of them, and those that are
// there no more are drawn too. `file` and `base_file` are what the page calls them.
std::string FlamePage(const FoldedStacks& stacks, FlameKind kind, std::string_view file,
                      const FoldedStacks* base, std::string_view base_file);

// What such a page draws.
std::string FlameJson(const FoldedStacks& stacks, FlameKind kind, std::string_view file,
                      const FoldedStacks* base, std::string_view base_file);

}  // namespace analyze
