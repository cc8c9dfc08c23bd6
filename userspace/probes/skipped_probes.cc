// SPDX-License-Identifier: BSD-2-Clause
#include "probes/skipped_probes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace probes {
namespace {

constexpr size_t kMaxNames = 3;    // of a reason
constexpr size_t kMaxReasons = 3;  // of a pattern

std::string Names(const std::vector<std::string>& functions) {
  const size_t shown = std::min(functions.size(), kMaxNames);
  std::string names = fmt::format("{}", fmt::join(std::span(functions).first(shown), ", "));
  if (functions.size() > shown) names += fmt::format(" and {} more", functions.size() - shown);
  return names;
}

}  // namespace

void SkippedProbes::Add(const std::string& pattern, const std::string& function,
                        const std::string& reason) {
  patterns_[pattern][reason].push_back(function);
}

bool SkippedProbes::Has(const Probe& probe) const {
  const auto pattern = patterns_.find(probe.pattern);
  return pattern != patterns_.end() &&
         std::ranges::any_of(pattern->second, [&](const auto& reason) {
           return std::ranges::find(reason.second, probe.name) != reason.second.end();
         });
}

size_t SkippedProbes::CountRemaining(const std::string& pattern,
                                     const std::vector<Probe>& probes) const {
  return static_cast<size_t>(std::ranges::count_if(
      probes, [&](const Probe& probe) { return probe.pattern == pattern && !Has(probe); }));
}

std::vector<std::string> SkippedProbes::Describe(const std::vector<Probe>& probes) const {
  std::vector<std::string> sentences;
  for (const auto& [pattern, reasons] : patterns_) {
    size_t skipped = 0;
    std::vector<std::string> parts;
    for (const auto& [reason, functions] : reasons) {
      skipped += functions.size();
      if (parts.size() < kMaxReasons)
        parts.push_back(fmt::format("{} ({})", Names(functions), reason));
    }
    if (reasons.size() > kMaxReasons) parts.push_back("and others");
    sentences.push_back(fmt::format("{}: without {} of {} functions: {}", pattern, skipped,
                                    skipped + CountRemaining(pattern, probes),
                                    fmt::join(parts, "; ")));
  }
  return sentences;
}

util::Status SkippedProbes::CheckPatterns(const std::vector<Probe>& probes) const {
  for (const auto& [pattern, reasons] : patterns_) {
    if (CountRemaining(pattern, probes) != 0) continue;
    const auto& [reason, functions] = *reasons.begin();
    return util::Error{fmt::format("{}: none of its functions can be probed", pattern),
                       fmt::format("{}: {}", Names(functions), reason)};
  }
  return util::Ok();
}

}  // namespace probes
