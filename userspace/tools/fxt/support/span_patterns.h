// SPDX-License-Identifier: BSD-2-Clause
// The patterns of --span.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tools {

// Whether one of `patterns` matches a span: its NAME, or its CATEGORY/NAME; * and ? match.
bool MatchesSpan(const std::vector<std::string>& patterns, std::string_view category,
                 std::string_view name);

}  // namespace tools
