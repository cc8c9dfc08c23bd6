// SPDX-License-Identifier: BSD-2-Clause
#include "tools/fxt/support/span_patterns.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

namespace tools {

bool MatchesSpan(const std::vector<std::string>& patterns, std::string_view category,
                 std::string_view name) {
  const std::string plain(name);
  const std::string full = fmt::format("{}/{}", category, name);
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return fnmatch(pattern.c_str(), plain.c_str(), 0) == 0 ||
           fnmatch(pattern.c_str(), full.c_str(), 0) == 0;
  });
}

void ChooseRequests(measure::CollectorOptions& options, const std::vector<std::string>& patterns) {
  options.with_requests = true;
  if (patterns.empty()) return;
  options.wants_request = [patterns](std::string_view category, std::string_view name) {
    return MatchesSpan(patterns, category, name);
  };
}

}  // namespace tools
