// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/answering.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "compare/values/groups.h"
#include "compare/values/metric.h"

namespace comparison {
namespace {

using measure::Attribution;
using measure::Blame;
using measure::Capture;
using measure::Duration;

// How often a group asked another one: positions in Groups::all().
using Requests = std::map<std::pair<size_t, size_t>, double>;

Requests RequestsOf(const Groups& groups) {
  Requests requests;
  for (size_t i = 0; i < groups.captures().size(); ++i) {
    const Capture& capture = *groups.captures()[i];
    for (size_t at = 0; at < capture.groups.size(); ++at) {
      const size_t group = groups.Of(i, static_cast<uint32_t>(at));
      const auto add = [&](Attribution why, bool asks) {
        for (const auto& [other, blame] : capture.groups[at].of(why)) {
          if (other >= capture.groups.size() || other == at) continue;
          const size_t party = groups.Of(i, other);
          requests[asks ? std::pair(group, party) : std::pair(party, group)] +=
              static_cast<double>(blame.count);
        }
      };
      add(Attribution::kAnsweredBy, true);
      add(Attribution::kGivenWorkBy, false);
    }
  }
  return requests;
}

double CountOf(const Requests& requests, size_t who, size_t whom) {
  const auto found = requests.find({who, whom});
  return found == requests.end() ? 0 : found->second;
}

// Counts the sleeps for one purpose as sleeps for the other.
void Retake(measure::Group& group, const measure::SleepPart& from, const measure::SleepPart& to) {
  group.of(to.duration).Merge(group.of(from.duration));
  group.of(from.duration) = {};
  auto& ended = group.blames[static_cast<size_t>(from.attribution)];
  auto& counted = group.blames[static_cast<size_t>(to.attribution)];
  for (const auto& [other, blame] : ended) {
    Blame& sum = counted[other];
    sum.count += blame.count;
    sum.ns += blame.ns;
  }
  ended.clear();
}

constexpr measure::SleepPart kAnswers{Duration::kForAnswer, Attribution::kAnsweredBy};
constexpr measure::SleepPart kWork{Duration::kForWork, Attribution::kGivenWorkBy};

// Sleeps of a group in all captures, by what they were for.
struct SleepCounts {
  uint64_t for_work = 0;
  uint64_t for_others = 0;     // for answers and locks
  uint64_t by_interrupts = 0;  // a timer or a device ended them
  void Add(const measure::Group& group) {
    for_work += group.of(Duration::kForWork).whole.count();
    for_others +=
        group.of(Duration::kForAnswer).whole.count() + group.of(Duration::kForLock).whole.count();
    const auto& enders = group.of(Attribution::kWokenBy);
    const auto interrupts = enders.find(measure::kInterrupt);
    if (interrupts == enders.end()) return;
    const Blame& all = interrupts->second;
    by_interrupts += all.count - std::min(all.count, all.blocked);
  }
  bool AreForWork() const { return for_work != 0 && for_others == 0 && by_interrupts == 0; }
};

// The exit of a child is what a thread waited for, whichever of the two asks.
bool WaitsForChildren(const measure::Group& group) {
  return std::any_of(
      group.waited_objects.begin(), group.waited_objects.end(),
      [](const auto& each) { return each.first.waits_for == facts::WaitsFor::kChild; });
}

// Takes all sleeps for sleeps for work.
void TakeForWork(measure::Group& group) {
  group.of(Duration::kForWork) = group.of(Duration::kSleep);
  auto& given = group.blames[static_cast<size_t>(Attribution::kGivenWorkBy)];
  given.clear();
  for (const auto& [other, blame] : group.of(Attribution::kWokenBy)) {
    if (blame.count == blame.blocked) continue;
    given[other] = {.count = blame.count - blame.blocked, .ns = blame.ns - blame.blocked_ns};
  }
}

}  // namespace

void DecidePurposes(std::span<Capture* const> captures, size_t bases) {
  const std::vector<const Capture*> views(captures.begin(), captures.end());
  const Groups groups(views, bases);
  const Requests requests = RequestsOf(groups);
  std::vector<SleepCounts> counts(groups.all().size());
  const auto for_each = [&](auto apply) {
    for (size_t i = 0; i < captures.size(); ++i) {
      for (size_t at = 0; at < captures[i]->groups.size(); ++at) {
        apply(i, at, groups.Of(i, static_cast<uint32_t>(at)), captures[i]->groups[at]);
      }
    }
  };
  for_each([&](size_t i, size_t at, size_t who, measure::Group& group) {
    // Whether groups ended half of the sleeps for one purpose that `who` asks at least twice as
    // often as they ask it, or the other way round.
    const auto mostly = [&](const measure::SleepPart& part, bool asks) {
      double all = 0;
      double matching = 0;
      for (const auto& [other, blame] : group.of(part.attribution)) {
        const auto count = static_cast<double>(blame.count);
        all += count;
        if (other >= captures[i]->groups.size() || other == at) continue;
        const size_t whom = groups.Of(i, other);
        const double asked = CountOf(requests, who, whom);
        const double asked_by = CountOf(requests, whom, who);
        const bool matches = asks ? asked * kExplained >= asked_by : asked_by * kExplained >= asked;
        if (matches) matching += count;
      }
      return matching > 0 && matching >= all * kExplained;
    };
    if (mostly(kWork, true)) Retake(group, kWork, kAnswers);
    if (!WaitsForChildren(group) && mostly(kAnswers, false)) Retake(group, kAnswers, kWork);
    counts[who].Add(group);
  });
  for_each([&](size_t, size_t, size_t who, measure::Group& group) {
    if (counts[who].AreForWork()) TakeForWork(group);
  });
}

void LeaveOutWaitsForWork(Capture& capture) {
  for (measure::Group& group : capture.groups) {
    measure::Distribution& sleeps = group.of(Duration::kSleep);
    sleeps.Remove(group.of(Duration::kForWork));
    // The longest ones may all have been for work.
    for (const Duration other : {Duration::kForAnswer, Duration::kForLock}) {
      for (const measure::Instance& instance : group.of(other).worst) {
        const bool there =
            std::find(sleeps.worst.begin(), sleeps.worst.end(), instance) != sleeps.worst.end();
        if (!there) sleeps.Keep(instance);
      }
    }
    auto& enders = group.blames[static_cast<size_t>(Attribution::kWokenBy)];
    for (const auto& [other, work] : group.of(Attribution::kGivenWorkBy)) {
      const auto found = enders.find(other);
      if (found == enders.end()) continue;
      Blame& all = found->second;
      all.ns -= std::min(all.ns, work.ns);
      all.count -= std::min(all.count, work.count);
      if (all.count == 0) enders.erase(found);
    }
  }
}

}  // namespace comparison
