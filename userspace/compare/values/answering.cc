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

}  // namespace

void TakeWorkForAnswers(std::span<Capture* const> captures, size_t bases) {
  const std::vector<const Capture*> views(captures.begin(), captures.end());
  const Groups groups(views, bases);
  const Requests requests = RequestsOf(groups);
  for (size_t i = 0; i < captures.size(); ++i) {
    for (size_t at = 0; at < captures[i]->groups.size(); ++at) {
      measure::Group& group = captures[i]->groups[at];
      const size_t who = groups.Of(i, static_cast<uint32_t>(at));
      auto& given = group.blames[static_cast<size_t>(Attribution::kGivenWorkBy)];
      double all = 0;
      double by_servers = 0;
      for (const auto& [other, blame] : given) {
        const auto count = static_cast<double>(blame.count);
        all += count;
        if (other >= captures[i]->groups.size() || other == at) continue;
        const size_t whom = groups.Of(i, other);
        const bool asks = CountOf(requests, who, whom) * kExplained >= CountOf(requests, whom, who);
        if (asks) by_servers += count;
      }
      if (by_servers <= 0 || by_servers < all * kExplained) continue;
      group.of(Duration::kForAnswer).Merge(group.of(Duration::kForWork));
      group.of(Duration::kForWork) = {};
      auto& answered = group.blames[static_cast<size_t>(Attribution::kAnsweredBy)];
      for (const auto& [other, blame] : given) {
        Blame& sum = answered[other];
        sum.count += blame.count;
        sum.ns += blame.ns;
      }
      given.clear();
    }
  }
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
