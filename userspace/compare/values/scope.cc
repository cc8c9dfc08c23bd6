// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/scope.h"

#include <algorithm>

#include "compare/values/metric.h"
#include "compare/values/observation.h"

namespace comparison {
namespace {

// Wakeups of a group on one side.
struct WakeupCounts {
  double by_tree = 0;
  double all = 0;
};

// Whether enough of its wakeups are by the tree, and at most a quarter as many would be by chance:
// then their odds were those of the tree running.
bool IsServer(const WakeupCounts& woken, double tree_cpu, double other_cpu, size_t captures) {
  if (woken.by_tree < kLeastPerSecond * static_cast<double>(captures)) return false;
  if (woken.by_tree < kLeastPart * woken.all) return false;
  return woken.by_tree * other_cpu * kNamed >= tree_cpu * (woken.all - woken.by_tree);
}

}  // namespace

std::vector<bool> ScopeOf(const Groups& groups) {
  const Captures captures = groups.captures();
  std::vector<bool> scope(groups.all().size());
  const bool tree = std::any_of(groups.all().begin(), groups.all().end(),
                                [](const SharedGroup& group) { return group.name.of_command; });
  for (size_t g = 0; g < scope.size(); ++g) {
    const SharedGroup& group = groups.all()[g];
    scope[g] = !group.of_recorder && (!tree || group.name.of_command);
  }
  if (!tree) return scope;
  // A server on one side is in scope on both: the new version may begin to use another one.
  for (const bool next : {false, true}) {
    const size_t first = next ? groups.bases() : 0;
    const size_t last = next ? captures.size() : groups.bases();
    double tree_cpu = 0;
    double other_cpu = 0;
    std::vector<WakeupCounts> woken(scope.size());
    for (size_t i = first; i < last; ++i) {
      for (size_t at = 0; at < captures[i]->groups.size(); ++at) {
        const measure::Group& group = captures[i]->groups[at];
        (group.name.of_command ? tree_cpu : other_cpu) +=
            static_cast<double>(group.of(facts::Share::kRunning));
        WakeupCounts& sum = woken[groups.Of(i, static_cast<uint32_t>(at))];
        for (const auto& [other, blame] : group.of(measure::Attribution::kWokenBy)) {
          const auto count = static_cast<double>(blame.count);
          sum.all += count;
          if (other < captures[i]->groups.size() && captures[i]->groups[other].name.of_command) {
            sum.by_tree += count;
          }
        }
      }
    }
    for (size_t g = 0; g < scope.size(); ++g) {
      if (!groups.all()[g].of_recorder && IsServer(woken[g], tree_cpu, other_cpu, last - first)) {
        scope[g] = true;
      }
    }
  }
  return scope;
}

std::vector<bool> SelfPacedOf(const Groups& groups, const std::vector<bool>& in_scope) {
  const Captures captures = groups.captures();
  std::vector<bool> self_paced(groups.all().size());
  for (size_t g = 0; g < self_paced.size(); ++g) {
    double without_thread = 0;
    double asleep = 0;
    double sleeps = 0;
    double seconds = 0;
    for (size_t i = 0; i < captures.size(); ++i) {
      seconds += static_cast<double>(captures[i]->length()) / kNsPerSecond;
      const measure::Group* part = groups.all()[g].In(captures, i);
      if (part == nullptr) continue;
      asleep += static_cast<double>(part->of(facts::Share::kSleeping));
      const auto& enders = part->of(measure::Attribution::kWokenBy);
      const auto found = enders.find(measure::kInterrupt);
      if (found == enders.end()) continue;
      without_thread += static_cast<double>(found->second.ns);
      sleeps += static_cast<double>(found->second.count);
    }
    self_paced[g] =
        in_scope[g] && without_thread >= asleep * kExplained && sleeps >= kLeastPerSecond * seconds;
  }
  return self_paced;
}

std::vector<uint64_t> OutOfScopeWaits(const Groups& groups, size_t group,
                                      const std::vector<bool>& in_scope) {
  const Captures captures = groups.captures();
  std::vector<uint64_t> waits(captures.size());
  for (size_t i = 0; i < captures.size(); ++i) {
    const measure::Group* part = groups.all()[group].In(captures, i);
    if (part == nullptr) continue;
    for (const auto& [other, blame] : part->of(measure::Attribution::kHeldCpu)) {
      if (other < captures[i]->groups.size() && !in_scope[groups.Of(i, other)])
        waits[i] += blame.ns;
    }
  }
  return waits;
}

std::vector<double> OutOfScopeThreads(const Groups& groups, const std::vector<bool>& in_scope) {
  const Captures captures = groups.captures();
  std::vector<double> threads(captures.size());
  for (size_t i = 0; i < captures.size(); ++i) {
    uint64_t wanted = 0;
    for (size_t g = 0; g < groups.all().size(); ++g) {
      const measure::Group* part = in_scope[g] ? nullptr : groups.all()[g].In(captures, i);
      if (part == nullptr) continue;
      wanted += part->of(facts::Share::kRunning) + part->of(facts::Share::kRunnableWakeup) +
                part->of(facts::Share::kRunnablePreempted);
    }
    if (captures[i]->length() == 0) continue;
    threads[i] = static_cast<double>(wanted) / static_cast<double>(captures[i]->length());
  }
  return threads;
}

}  // namespace comparison
