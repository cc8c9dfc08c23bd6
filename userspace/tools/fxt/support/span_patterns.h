// SPDX-License-Identifier: BSD-2-Clause
// The patterns of --span.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "measure/collect/collector.h"

namespace tools {

// Whether one of `patterns` matches a span: its NAME, or its CATEGORY/NAME; * and ? match.
bool MatchesSpan(const std::vector<std::string>& patterns, std::string_view category,
                 std::string_view name);

// Makes a collector count requests: those that the patterns choose; the default without any.
void ChooseRequests(measure::CollectorOptions& options, const std::vector<std::string>& patterns);

}  // namespace tools
