// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/similarity.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "compare/values/groups.h"
#include "compare/values/metric.h"

namespace comparison {
namespace {

// The ratio of the CPU time, and of the threads, of a renamed group. Twice the CPU time under a new
// name would hide a change. The ratio of wakeups may be the square of it.
constexpr double kRenamed = 1.5;

double LogRatio(double a, double b, double floor) { return std::log((a + floor) / (b + floor)); }

}  // namespace

Similarity::Similarity(const Groups& groups) : groups_(groups) {
  const size_t bases = groups.bases();
  const size_t captures = groups.captures().size();
  activities_.resize(groups.all().size());
  std::set<std::string> names[2];
  for (size_t i = 0; i < captures; ++i) {
    for (const measure::Group& group : groups.captures()[i]->groups) {
      names[i >= bases].insert(group.name.process);
    }
  }
  std::set_intersection(names[0].begin(), names[0].end(), names[1].begin(), names[1].end(),
                        std::inserter(lasting_, lasting_.end()));
  for (size_t g = 0; g < groups.all().size(); ++g) {
    const SharedGroup& group = groups.all()[g];
    if (group.of_recorder || group.name.thread == measure::kOthers) continue;
    const auto there = [&](size_t first, size_t last) {
      size_t count = 0;
      for (size_t i = first; i < last; ++i) count += group.at[i] != SharedGroup::kAbsent;
      return count;
    };
    const size_t before = there(0, bases);
    const size_t after = there(bases, captures);
    if (after == 0 && before * 2 > bases) {
      gone_.push_back(g);
      activities_[g] = ActivityOf(g, 0, bases);
    } else if (before == 0 && after * 2 > captures - bases) {
      added_.push_back(g);
      activities_[g] = ActivityOf(g, bases, captures);
    }
  }
}

Similarity::Activity Similarity::ActivityOf(size_t group, size_t first, size_t last) const {
  Activity activity;
  double seconds = 0;
  for (size_t i = first; i < last; ++i) {
    const measure::Capture& capture = *groups_.captures()[i];
    seconds += static_cast<double>(capture.length()) / kNsPerSecond;
    const measure::Group* part = groups_.all()[group].In(groups_.captures(), i);
    if (part == nullptr) continue;
    activity.threads += static_cast<double>(part->threads) / static_cast<double>(last - first);
    activity.cpu += static_cast<double>(part->of(facts::Share::kRunning)) / kNsPerMs;
    activity.wakeups += static_cast<double>(part->wakeups);
    uint64_t all = 0;
    for (const auto& [other, blame] : part->of(measure::Attribution::kWokenBy)) all += blame.count;
    for (const auto& [other, blame] : part->of(measure::Attribution::kWokenBy)) {
      if (static_cast<double>(blame.count) < kLeastPart * static_cast<double>(all)) continue;
      if (other >= capture.groups.size()) {
        activity.wakers.insert(other == measure::kInterrupt ? "\1" : "\2");
        continue;
      }
      // The waker may be renamed as well, in the same process or in another one.
      const measure::GroupName& name = capture.groups[other].name;
      activity.wakers.insert(name.process == part->name.process  ? "\3"
                             : lasting_.count(name.process) == 0 ? "\4"
                                                                 : name.process);
    }
  }
  if (seconds > 0) {
    activity.cpu /= seconds;
    activity.wakeups /= seconds;
  }
  return activity;
}

std::optional<double> Similarity::Distance(size_t gone, size_t added) const {
  const measure::GroupName& before = groups_.all()[gone].name;
  const measure::GroupName& after = groups_.all()[added].name;
  if (before.of_command != after.of_command) return std::nullopt;
  const Activity& a = activities_[gone];
  const Activity& b = activities_[added];
  const double threads = std::abs(LogRatio(a.threads, b.threads, 0));
  const double cpu = std::abs(LogRatio(a.cpu, b.cpu, InfoOf(Statistic::kCpuRate).floor));
  const double wakeups =
      std::abs(LogRatio(a.wakeups, b.wakeups, InfoOf(Statistic::kWakeupRate).floor));
  size_t common = 0;
  for (const std::string& name : a.wakers) common += b.wakers.count(name);
  const size_t either = a.wakers.size() + b.wakers.size() - common;
  const double different =
      either == 0 ? 0 : 1 - static_cast<double>(common) / static_cast<double>(either);
  const bool related = before.process == after.process || before.thread == after.thread;
  const double most = std::log(kRenamed);
  if (threads > most || cpu > most || wakeups > 2 * most) return std::nullopt;
  if (different > kExplained) return std::nullopt;
  return threads + cpu + wakeups + different + (related ? 0 : 1);
}

}  // namespace comparison
