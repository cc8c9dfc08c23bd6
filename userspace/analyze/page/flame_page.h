// SPDX-License-Identifier: BSD-2-Clause
// `fxt flame --format html`, and its data for other pages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyze/flame/flame_stacks.h"

namespace analyze {

// With `base` the colour of a frame is its change, and frames of the base alone are drawn as well.
// `file` and `base_file` are the names on the page. `q`: null, or for each frame the rate of false
// discoveries at which its change is one (stack_diff/flame_sets.h); then the others are grey.
std::string FlamePage(const FoldedStacks& stacks, FlameKind kind, std::string_view file,
                      const FoldedStacks* base, std::string_view base_file,
                      const std::vector<double>* q = nullptr);

// The data of the page.
std::string FlameJson(const FoldedStacks& stacks, FlameKind kind, std::string_view file,
                      const FoldedStacks* base, std::string_view base_file,
                      const std::vector<double>* q = nullptr);

}  // namespace analyze
