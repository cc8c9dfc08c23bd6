// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/observation.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "compare/values/lengths.h"
#include "compare/values/metric.h"

namespace comparison {
namespace {

using measure::Distribution;
using measure::Duration;
using measure::Histogram;

// A count varies at least as a Poisson one does, and sums of lengths by the largest of them. Half
// of that is taken, since much of what programs do comes as regularly as a clock.
constexpr double kChance = 0.5;

double Ms(uint64_t ns) { return static_cast<double>(ns) / kNsPerMs; }

double ChanceOfCount(double count) { return count > 0 ? kChance / count : 0; }

double ChanceOf(const Distribution& times) {
  LengthSum sum;
  times.whole.ForEach([&](uint32_t bucket, uint64_t count) {
    const auto middle = static_cast<double>(Histogram::MiddleOf(bucket));
    sum.ns += middle * static_cast<double>(count);
    sum.squares += middle * middle * static_cast<double>(count);
  });
  return sum.chance();
}

// Whether more than half of what its threads did is in the capture.
bool IsKnown(const measure::Group& group) {
  uint64_t known = 0;
  for (size_t share = 0; share < facts::kShares; ++share) known += group.share_ns[share];
  known -= group.of(facts::Share::kUnknown) + group.of(facts::Share::kAbsent);
  return known >= group.of(facts::Share::kUnknown);
}

Observation OfTime(double ms, double seconds, double chance = 0) {
  Observation result = Observation::Of(ms / seconds);
  result.chance = chance;
  return result;
}

Observation OfCount(uint64_t count, double seconds) {
  Observation result = Observation::Of(static_cast<double>(count) / seconds);
  result.chance = ChanceOfCount(static_cast<double>(count));
  return result;
}

// Of a mean in us over all events of a kind.
std::optional<Observation> OfMean(const Distribution& times, double mean, double seconds) {
  if (times.whole.empty()) return std::nullopt;
  const auto count = static_cast<double>(times.whole.count());
  Observation result = Observation::Of(mean);
  result.chance = ChanceOfCount(count);
  result.ms = Ms(times.whole_ns) / seconds;
  result.events = count / seconds;
  return result;
}

std::optional<Observation> OfTypical(const Distribution& times, double floor_us, double seconds) {
  const double floor = floor_us * kNsPerUs;
  const Histogram::Logs logs = times.whole.LogsOf(floor);
  auto result = OfMean(times, (std::exp(logs.mean) - floor) / kNsPerUs, seconds);
  if (!result) return result;
  // Lengths of a few events may all be alike by chance: their logarithms vary by 1 at least.
  const auto count = static_cast<double>(times.whole.count());
  result->chance = std::max(1.0, logs.squares / count) / count;
  return result;
}

std::optional<Observation> OfMeanLength(const Distribution& times, double seconds) {
  if (times.whole.empty()) return std::nullopt;
  const double mean =
      static_cast<double>(times.whole_ns) / static_cast<double>(times.whole.count()) / kNsPerUs;
  auto result = OfMean(times, mean, seconds);
  result->chance = ChanceOf(times);
  return result;
}

// A change of sleep is one only if each thread sleeps more and each sleep is longer; else there are
// other threads, or other sleeps, than there were.
Observation OfSleep(const measure::Group& group, Statistic statistic,
                    const SleepThresholds& thresholds, double own, double seconds,
                    double shortest) {
  const uint64_t threshold = thresholds.Of(statistic);
  const Histogram& whole = group.of(Duration::kSleep).whole;
  const LengthSum excess = ExcessOf(whole, threshold, own, shortest);
  const LengthSum all = ExcessOf(whole, 0, own, shortest);
  const double threads = std::max<double>(1, static_cast<double>(group.threads));
  Observation result;
  if (statistic == Statistic::kSleepCount) {
    result.value = excess.count / seconds;
    result.chance = ChanceOfCount(excess.count);
    result.tested = {result.value / threads, all.count > 0 ? excess.count / all.count : 0};
  } else {
    result.value = excess.ns / kNsPerMs / seconds;
    result.chance = kChance * excess.chance();
    result.tested = {result.value / threads, all.count > 0 ? excess.ns / kNsPerMs / all.count : 0};
  }
  result.tests = 2;
  // With what is seen of sleeps that an edge cut.
  result.ms = (excess.ns + ExcessOf(group.of(Duration::kSleep).cut, threshold, own, own * 2).ns) /
              kNsPerMs / seconds;
  result.events = all.count / seconds;
  result.share = Ms(group.of(facts::Share::kSleeping)) / (own / 1e9);
  result.wakeups = static_cast<double>(group.wakeups) / seconds;
  const auto& enders = group.of(measure::Attribution::kWokenBy);
  const auto timer = enders.find(measure::kInterrupt);
  if (timer != enders.end()) {
    const measure::Blame& blame = timer->second;
    const double ms = Ms(blame.ns - std::min(blame.ns, blame.blocked_ns));
    const auto pauses = static_cast<double>(blame.count - std::min(blame.count, blame.blocked));
    result.timer = ms / (own / 1e9);
    result.pauses = pauses / seconds;
    result.pause = pauses > 0 ? ms / pauses : 0;
  }
  result.threads = threads;
  result.per_run = seconds * 1e9 != own;
  return result;
}

// Of a group that has a clock of its own: what it waited for threads, in all and each time that it
// slept by that clock. Nothing of a group without one: it sleeps until somebody has work for it.
std::optional<Observation> OfSleepForThreads(const measure::Group& group, double own,
                                             double seconds) {
  constexpr double kLeastTurns = 10;  // per second
  double timers = 0;
  double timer_ms = 0;
  double threads_ms = 0;
  double chance = 0;
  for (const auto& [other, blame] : group.of(measure::Attribution::kWokenBy)) {
    const double ms = Ms(blame.ns - std::min(blame.ns, blame.blocked_ns));
    if (other == measure::kInterrupt) {
      timers += static_cast<double>(blame.count - std::min(blame.count, blame.blocked));
      timer_ms += ms;
    } else if (other != measure::kNoGroup) {
      threads_ms += ms;
      chance += static_cast<double>(blame.count - std::min(blame.count, blame.blocked));
    }
  }
  if (timers < kLeastTurns * own / 1e9) return std::nullopt;
  const double threads = std::max<double>(1, static_cast<double>(group.threads));
  Observation result = OfTime(threads_ms, seconds, ChanceOfCount(chance));
  result.tested = {result.value / threads, threads_ms / timers};
  result.tests = 2;
  result.events = timers / seconds;
  result.threads = threads;
  result.timer = timer_ms / seconds;
  result.wakeups = static_cast<double>(group.wakeups) / seconds;
  return result;
}

std::optional<Observation> ObserveIn(const measure::Group& group, Statistic statistic,
                                     const SleepThresholds& thresholds, double own, double seconds,
                                     double shortest, uint64_t foreign) {
  const double floor = InfoOf(statistic).floor;
  const Distribution& blocked = group.of(Duration::kBlocked);
  switch (statistic) {
    case Statistic::kCpuRate:
      return OfTime(Ms(group.of(facts::Share::kRunning)), seconds);
    case Statistic::kCpuPerWakeup: {
      if (group.wakeups == 0) return std::nullopt;
      const auto wakeups = static_cast<double>(group.wakeups);
      const double cpu = Ms(group.of(facts::Share::kRunning));
      Observation result = Observation::Of(cpu * kNsPerUs / wakeups);
      result.chance = ChanceOfCount(wakeups);
      result.ms = cpu / seconds;
      result.events = wakeups / seconds;
      return result;
    }
    case Statistic::kSliceTypical:
      return OfTypical(group.of(Duration::kSlice), floor, seconds);
    case Statistic::kLatencyTypical:
      return OfTypical(group.of(Duration::kWakeupLatency), floor, seconds);
    case Statistic::kLatencyMean:
      return OfMeanLength(group.of(Duration::kWakeupLatency), seconds);
    case Statistic::kLatencyRunnable:
    case Statistic::kPreemptedRunnable: {
      // Who comes first in the queue after a wakeup is preempted the more: the sum is steadier than
      // its parts. `ms` is the part that the metric is about, `share` the other one.
      const bool latency = statistic == Statistic::kLatencyRunnable;
      const uint64_t waits =
          group.of(facts::Share::kRunnableWakeup) + group.of(facts::Share::kRunnablePreempted);
      Observation result =
          OfTime(Ms(waits - std::min(waits, foreign)), seconds,
                 ChanceOf(group.of(latency ? Duration::kWakeupLatency : Duration::kPreemptedWait)));
      result.ms =
          Ms(group.of(latency ? facts::Share::kRunnableWakeup : facts::Share::kRunnablePreempted)) /
          seconds;
      result.share = Ms(waits) / seconds - result.ms;
      return result;
    }
    case Statistic::kPreemptedRate:
      return OfTime(Ms(group.of(facts::Share::kRunnablePreempted)), seconds,
                    ChanceOf(group.of(Duration::kPreemptedWait)));
    case Statistic::kPreemptedTypical:
      return OfTypical(group.of(Duration::kPreemptedWait), floor, seconds);
    case Statistic::kSleepExcessMost:
    case Statistic::kSleepExcessHalf:
    case Statistic::kSleepExcessTenth:
    case Statistic::kSleepExcessHundredth:
    case Statistic::kSleepCount:
      return OfSleep(group, statistic, thresholds, own, seconds, shortest);
    case Statistic::kSleepForThreads:
      return OfSleepForThreads(group, own, seconds);
    case Statistic::kBlockedCount: {
      Observation result = OfCount(blocked.whole.count() + blocked.cut.count(), seconds);
      result.ms = Ms(group.of(facts::Share::kBlocked)) / seconds;
      return result;
    }
    case Statistic::kBlockedRate:
      return OfTime(Ms(group.of(facts::Share::kBlocked)), seconds, ChanceOf(blocked));
    case Statistic::kSwitchRate:
      return OfCount(group.switches_voluntary + group.switches_involuntary, seconds);
    case Statistic::kWakeupRate:
      return OfCount(group.wakeups, seconds);
    case Statistic::kMigrationRate:
      return OfCount(group.migrations, seconds);
    case Statistic::kProcessRate:
      return OfCount(group.forked_processes, seconds);
    case Statistic::kThreadRate:
      return OfCount(group.forked_threads, seconds);
    case Statistic::kInversionRate:
      return OfTime(Ms(group.inversion_ns), seconds);
    case Statistic::kUnconservedRate:
      return OfTime(Ms(group.unconserved_ns), seconds);
    default:
      return std::nullopt;
  }
}

// Calls and handlers: the time in them, and the mean of one.
Observation OfCalls(const Distribution& times, double seconds) {
  const double ms = Ms(times.whole_ns + times.cut_ns);
  const auto count = static_cast<double>(times.whole.count() + times.cut.count());
  Observation result = OfTime(ms, seconds, ChanceOf(times));
  result.tested[1] = count > 0 ? ms / count : 0;
  result.tests = 2;
  result.events = count / seconds;
  return result;
}

// What was divided by threads or events, times those of all captures: in its unit, as the floor is.
void Scale(Observations& captures) {
  const auto typical = [&](double Observation::*what) {
    double logs = 0;
    double count = 0;
    for (const auto& capture : captures) {
      if (!capture || (*capture).*what <= 0) continue;
      logs += std::log((*capture).*what);
      count += 1;
    }
    return count > 0 ? std::exp(logs / count) : 0;
  };
  const double events = typical(&Observation::events);
  const double threads = typical(&Observation::threads);
  for (auto& capture : captures) {
    if (!capture || capture->tests != 2) continue;
    capture->tested[0] *= threads;
    capture->tested[1] *= events;
  }
}

}  // namespace

SleepThresholds SleepThresholdsOf(const Groups& groups, const SharedGroup& group,
                                  const Frame& frame) {
  std::vector<double> pool(Histogram::kBuckets);
  uint32_t end = 0;  // behind the last one that has any
  double total = 0;
  for (size_t i = 0; i < groups.captures().size(); ++i) {
    const measure::Group* part = group.In(groups.captures(), i);
    if (part == nullptr) continue;
    const auto own = static_cast<double>(groups.captures()[i]->length());
    double sum = 0;
    std::vector<std::pair<uint32_t, double>> weights;
    part->of(Duration::kSleep).whole.ForEach([&](uint32_t bucket, uint64_t count) {
      const double weight =
          static_cast<double>(count) *
          WholeWeight(static_cast<double>(Histogram::MiddleOf(bucket)), own, frame.shortest);
      weights.emplace_back(bucket, weight);
      sum += weight;
    });
    if (sum <= 0) continue;
    total += 1;
    for (const auto& [bucket, weight] : weights) pool[bucket] += weight / sum;
    end = std::max(end, weights.back().first + 1);
  }
  const auto quantile = [&](double q) -> uint64_t {
    if (end == 0) return 0;
    double seen = 0;
    for (uint32_t bucket = 0; bucket < end; ++bucket) {
      seen += pool[bucket];
      if (seen >= q * total) return Histogram::MiddleOf(bucket);
    }
    return Histogram::MiddleOf(end - 1);
  };
  return {quantile(0.25), quantile(0.5), quantile(0.9), quantile(0.99)};
}

Observations Observe(const Groups& groups, const SharedGroup& group, Statistic statistic,
                     const SleepThresholds& thresholds, const Frame& frame,
                     const Foreign& foreign) {
  const measure::Group nothing;
  Observations result(groups.captures().size());
  for (size_t i = 0; i < result.size(); ++i) {
    const measure::Group* part = group.In(groups.captures(), i);
    // Who is not there, or nowhere to be seen, does not sleep little.
    if (InfoOf(statistic).metric == Metric::kSleep && (part == nullptr || !IsKnown(*part)))
      continue;
    const auto own = static_cast<double>(groups.captures()[i]->length());
    const uint64_t held = i < foreign.waits.size() ? foreign.waits[i] : 0;
    result[i] = ObserveIn(part != nullptr ? *part : nothing, statistic, thresholds, own,
                          frame.seconds[i], frame.shortest, held);
    if (!result[i]) continue;
    result[i]->foreign = Ms(held) / frame.seconds[i];
    if (i < foreign.demand.size()) result[i]->foreign_demand = foreign.demand[i];
  }
  Scale(result);
  return result;
}

Observations ObserveSyscall(const Groups& groups, const SharedGroup& group, const std::string& name,
                            const Frame& frame) {
  Observations result(groups.captures().size());
  for (size_t i = 0; i < result.size(); ++i) {
    const measure::Group* part = group.In(groups.captures(), i);
    const Distribution* calls = nullptr;
    if (part != nullptr) {
      const auto found = part->syscalls.find(name);
      if (found != part->syscalls.end()) calls = &found->second;
    }
    result[i] = OfCalls(calls != nullptr ? *calls : Distribution(), frame.seconds[i]);
  }
  Scale(result);
  return result;
}

Observations ObserveHandler(Captures captures, const std::string& name, const Frame& frame) {
  Observations result(captures.size());
  for (size_t i = 0; i < result.size(); ++i) {
    const auto found = captures[i]->handlers.find(name);
    result[i] = OfCalls(found != captures[i]->handlers.end() ? found->second : Distribution(),
                        frame.seconds[i]);
  }
  Scale(result);
  return result;
}

Observations ObserveElapsed(Captures captures) {
  Observations result(captures.size());
  for (size_t i = 0; i < result.size(); ++i) {
    if (captures[i]->elapsed_ns) result[i] = Observation::Of(Ms(*captures[i]->elapsed_ns));
  }
  return result;
}

Observations ObserveLoad(Captures captures) {
  Observations result(captures.size());
  for (size_t i = 0; i < result.size(); ++i) {
    double busy = 0;
    double idle = 0;
    for (const auto& cpu : captures[i]->by_cpu) {
      busy += static_cast<double>(cpu.busy_ns);
      idle += static_cast<double>(cpu.idle_ns);
    }
    const double cpus = static_cast<double>(captures[i]->by_cpu.size());
    if (busy + idle > 0) result[i] = Observation::Of(1e3 * cpus * busy / (busy + idle));
  }
  return result;
}

}  // namespace comparison
