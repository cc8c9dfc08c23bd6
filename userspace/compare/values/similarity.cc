// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/similarity.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "compare/values/groups.h"
#include "compare/values/metric.h"

namespace comparison {
namespace {

// Added before the logarithms: threads, CPU time in ms/s, wakeups per second.
constexpr double kThreadsFloor = 0.2;
constexpr double kCpuFloor = 2;
constexpr double kWakeupsFloor = 20;
// Who wakes a group for this part of its wakeups is a neighbour.
constexpr double kNeighbour = 0.05;
// A renamed group has so many times the threads, at most, and so many times the CPU time: twice
// under a new name would be a change that nobody is told of. Wakeups may differ by the square of
// the latter. Related are names that have their process or their thread in common.
constexpr double kRenamedThreads = 1.3;
constexpr double kRenamedCpu = 1.5;
constexpr double kStrangersCpu = 1.33;
// This part of the neighbours of either may be none of the other's.
constexpr double kRenamedNeighbours = 0.7;
constexpr double kStrangersNeighbours = 0.5;

}  // namespace

Similarity::Similarity(const Groups& groups) : groups_(groups) {
  const size_t bases = groups.bases();
  const size_t captures = groups.captures().size();
  pictures_.resize(groups.all().size());
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
      pictures_[g] = Draw(g, 0, bases);
    } else if (before == 0 && after * 2 > captures - bases) {
      added_.push_back(g);
      pictures_[g] = Draw(g, bases, captures);
    }
  }
}

Similarity::Picture Similarity::Draw(size_t group, size_t first, size_t last) const {
  Picture picture;
  double seconds = 0;
  for (size_t i = first; i < last; ++i) {
    const measure::Capture& capture = *groups_.captures()[i];
    seconds += static_cast<double>(capture.length()) / kNsPerSecond;
    const measure::Group* part = groups_.all()[group].In(groups_.captures(), i);
    if (part == nullptr) continue;
    picture.threads += static_cast<double>(part->threads) / static_cast<double>(last - first);
    picture.cpu += static_cast<double>(part->of(facts::Share::kRunning)) / kNsPerMs;
    picture.wakeups += static_cast<double>(part->wakeups);
    uint64_t all = 0;
    for (const auto& [other, blame] : part->of(measure::Attribution::kWokenBy)) all += blame.count;
    for (const auto& [other, blame] : part->of(measure::Attribution::kWokenBy)) {
      if (static_cast<double>(blame.count) < kNeighbour * static_cast<double>(all)) continue;
      if (other >= capture.groups.size()) {
        picture.neighbours.insert(other == measure::kInterrupt ? "\1" : "\2");
        continue;
      }
      // A neighbour may have got another name with it: in its own process, or as another one.
      const measure::GroupName& name = capture.groups[other].name;
      picture.neighbours.insert(name.process == part->name.process  ? "\3"
                                : lasting_.count(name.process) == 0 ? "\4"
                                                                    : name.process);
    }
  }
  if (seconds > 0) {
    picture.cpu /= seconds;
    picture.wakeups /= seconds;
  }
  return picture;
}

std::optional<double> Similarity::Distance(size_t gone, size_t added) const {
  const measure::GroupName& before = groups_.all()[gone].name;
  const measure::GroupName& after = groups_.all()[added].name;
  if (before.of_command != after.of_command) return std::nullopt;
  const Picture& a = pictures_[gone];
  const Picture& b = pictures_[added];
  const double threads =
      std::abs(std::log((a.threads + kThreadsFloor) / (b.threads + kThreadsFloor)));
  const double cpu = std::abs(std::log((a.cpu + kCpuFloor) / (b.cpu + kCpuFloor)));
  const double wakeups =
      std::abs(std::log((a.wakeups + kWakeupsFloor) / (b.wakeups + kWakeupsFloor)));
  size_t common = 0;
  for (const std::string& name : a.neighbours) common += b.neighbours.count(name);
  const size_t either = a.neighbours.size() + b.neighbours.size() - common;
  const double strange =
      either == 0 ? 0 : 1 - static_cast<double>(common) / static_cast<double>(either);
  const bool related = before.process == after.process || before.thread == after.thread;
  const double most = std::log(related ? kRenamedCpu : kStrangersCpu);
  if (threads > std::log(kRenamedThreads) || cpu > most || wakeups > 2 * most) return std::nullopt;
  if (strange > (related ? kRenamedNeighbours : kStrangersNeighbours)) return std::nullopt;
  return threads + cpu + wakeups + strange + (related ? 0 : 1);
}

}  // namespace comparison
