// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/requests.h"

#include <algorithm>
#include <map>
#include <utility>

#include "measure/group_name.h"

namespace comparison {

std::vector<const measure::Distribution*> SharedRequest::times() const {
  std::vector<const measure::Distribution*> found;
  for (const measure::RequestStats* stats : at) {
    found.push_back(stats == nullptr ? nullptr : &stats->times);
  }
  return found;
}

SharedRequests::SharedRequests(Captures captures, size_t bases) {
  using ByCapture = std::vector<const measure::RequestStats*>;
  std::map<std::string, std::map<std::string, ByCapture>> by_folded;
  for (size_t i = 0; i < captures.size(); ++i) {
    for (const auto& [name, stats] : captures[i]->requests) {
      if (name == measure::kOthers) continue;
      ByCapture& at = by_folded[measure::FoldDigits(name)][name];
      at.resize(captures.size());
      at[i] = &stats;
    }
  }
  const auto in_half = [&](const ByCapture& at) {
    const auto has = [](const auto* stats) { return stats != nullptr; };
    const auto middle = at.begin() + static_cast<ptrdiff_t>(bases);
    const auto of_base = static_cast<size_t>(std::count_if(at.begin(), middle, has));
    const auto of_next = static_cast<size_t>(std::count_if(middle, at.end(), has));
    return (bases != 0 && 2 * of_base >= bases) ||
           (captures.size() != bases && 2 * of_next >= captures.size() - bases);
  };
  for (auto& [folded, names] : by_folded) {
    const bool apart = names.size() == 1 || std::all_of(names.begin(), names.end(), [&](auto& one) {
                         return in_half(one.second);
                       });
    if (apart) {
      for (auto& [name, at] : names) all_.push_back({name, std::move(at)});
      continue;
    }
    SharedRequest whole{folded, ByCapture(captures.size())};
    for (size_t i = 0; i < captures.size(); ++i) {
      measure::RequestStats* sum = nullptr;
      for (const auto& [name, at] : names) {
        if (at[i] == nullptr) continue;
        if (sum == nullptr) sum = &merged_.emplace_back();
        sum->Merge(*at[i]);
      }
      whole.at[i] = sum;
    }
    all_.push_back(std::move(whole));
  }
  std::sort(all_.begin(), all_.end(),
            [](const SharedRequest& a, const SharedRequest& b) { return a.name < b.name; });
}

}  // namespace comparison
