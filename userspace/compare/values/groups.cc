// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/groups.h"

#include <algorithm>
#include <utility>

#include "compare/values/similarity.h"

namespace comparison {

Groups::Groups(Captures captures, size_t bases) : captures_(captures), bases_(bases) {
  std::map<measure::GroupName, SharedGroup> by_name;
  for (size_t i = 0; i < captures.size(); ++i) {
    const auto& groups = captures[i]->groups;
    for (uint32_t g = 0; g < groups.size(); ++g) {
      SharedGroup& shared = by_name[groups[g].name];
      if (shared.at.empty()) {
        shared.name = groups[g].name;
        shared.shown = groups[g].shown();
        shared.at.assign(captures.size(), SharedGroup::kAbsent);
      }
      const measure::GroupName shown = groups[g].shown();
      if (shared.shown.process != shown.process) shared.shown.process = shared.name.process;
      if (shared.shown.thread != shown.thread) shared.shown.thread = shared.name.thread;
      shared.of_recorder |= groups[g].of_recorder;
      shared.at[i] = g;
    }
  }
  for (auto& [name, group] : by_name) groups_.push_back(std::move(group));
  Number();
}

void Groups::Number() {
  numbers_.assign(captures_.size(), {});
  for (size_t i = 0; i < captures_.size(); ++i) numbers_[i].resize(captures_[i]->groups.size());
  for (size_t g = 0; g < groups_.size(); ++g) {
    for (size_t i = 0; i < captures_.size(); ++i) {
      if (groups_[g].at[i] != SharedGroup::kAbsent) numbers_[i][groups_[g].at[i]] = g;
    }
  }
}

void Groups::MatchRenamed() {
  struct Match {
    double distance;
    size_t before;
    size_t after;
  };
  const Similarity similarity(*this);
  std::vector<Match> matches;
  for (const size_t before : similarity.gone()) {
    for (const size_t after : similarity.added()) {
      if (const auto distance = similarity.Distance(before, after)) {
        matches.push_back({*distance, before, after});
      }
    }
  }
  std::sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) {
    return std::tie(a.distance, a.before, a.after) < std::tie(b.distance, b.before, b.after);
  });
  std::vector<bool> taken(groups_.size());
  std::vector<bool> merged(groups_.size());
  for (const Match& match : matches) {
    if (taken[match.before] || taken[match.after]) continue;
    taken[match.before] = taken[match.after] = true;
    merged[match.before] = true;
    SharedGroup& after = groups_[match.after];
    after.former_name = groups_[match.before].name;
    after.former_shown = groups_[match.before].shown;
    for (size_t i = 0; i < bases_; ++i) after.at[i] = groups_[match.before].at[i];
  }
  std::vector<SharedGroup> kept;
  for (size_t g = 0; g < groups_.size(); ++g) {
    if (!merged[g]) kept.push_back(std::move(groups_[g]));
  }
  groups_ = std::move(kept);
  Number();
}

}  // namespace comparison
