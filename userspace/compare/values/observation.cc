// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/observation.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/values/lengths.h"
#include "compare/values/metric.h"
#include "schema/wait_object.h"

namespace comparison {
namespace {

using measure::Distribution;
using measure::Duration;
using measure::Histogram;

// The part of the Poisson variance that is expected of counts and of sums of lengths. Many events
// of programs come regularly.
constexpr double kPoissonPart = 0.5;

// Requests beyond a quantile that its test needs, of the mean beyond the median.
constexpr double kLeastRequestsBeyond = 5;

double Ms(uint64_t ns) { return static_cast<double>(ns) / kNsPerMs; }

double VarianceOfCount(double count) { return count > 0 ? kPoissonPart / count : 0; }

double VarianceOf(const Distribution& times) {
  LengthSum sum;
  times.whole.ForEach([&](uint32_t bucket, uint64_t count) {
    const auto middle = static_cast<double>(Histogram::MiddleOf(bucket));
    sum.ns += middle * static_cast<double>(count);
    sum.squares += middle * middle * static_cast<double>(count);
  });
  return sum.variance();
}

// Whether the capture contains more than half of the time of its threads.
bool IsMostlyKnown(const measure::Group& group) {
  uint64_t known = 0;
  for (size_t share = 0; share < facts::kShares; ++share) known += group.share_ns[share];
  known -= group.of(facts::Share::kUnknown) + group.of(facts::Share::kAbsent);
  return known >= group.of(facts::Share::kUnknown);
}

Observation OfTime(double ms, double seconds, double sampling_variance = 0) {
  Observation result = Observation::Of(ms / seconds);
  result.sampling_variance = sampling_variance;
  return result;
}

Observation OfCount(uint64_t count, double seconds) {
  Observation result = Observation::Of(static_cast<double>(count) / seconds);
  result.sampling_variance = VarianceOfCount(static_cast<double>(count));
  return result;
}

// A mean in us over all events of a kind.
std::optional<Observation> OfMean(const Distribution& times, double mean, double seconds) {
  if (times.whole.empty()) return std::nullopt;
  const auto count = static_cast<double>(times.whole.count());
  Observation result = Observation::Of(mean);
  result.sampling_variance = VarianceOfCount(count);
  result.detail = MeanDetail{.total_ms = Ms(times.whole_ns) / seconds, .events = count / seconds};
  return result;
}

std::optional<Observation> OfTypical(const Distribution& times, double floor_us, double seconds) {
  const double floor = floor_us * kNsPerUs;
  const Histogram::Logs logs = times.whole.LogsOf(floor);
  auto result = OfMean(times, (std::exp(logs.mean) - floor) / kNsPerUs, seconds);
  if (!result) return result;
  // A few lengths may be equal by chance: the variance of their logarithms is taken as 1 at least.
  const auto count = static_cast<double>(times.whole.count());
  result->sampling_variance = std::max(1.0, logs.squares / count) / count;
  return result;
}

std::optional<Observation> OfMeanLength(const Distribution& times, double seconds) {
  if (times.whole.empty()) return std::nullopt;
  const double mean =
      static_cast<double>(times.whole_ns) / static_cast<double>(times.whole.count()) / kNsPerUs;
  auto result = OfMean(times, mean, seconds);
  result->sampling_variance = VarianceOf(times);
  return result;
}

// Sleep changes only if each thread sleeps more, and more for as much work. Otherwise there are
// other threads or other sleeps.
Observation OfLongSleeps(const measure::Group& group, Statistic statistic,
                         const SleepThresholds& thresholds, double own, double seconds,
                         double shortest) {
  const uint64_t threshold = thresholds.Of(statistic);
  const Distribution& sleeps = group.of(Duration::kSleep);
  const LengthSum excess = ExcessOf(sleeps.whole, threshold, own, shortest);
  const LengthSum all = ExcessOf(sleeps.whole, 0, own, shortest);
  const LengthSum cut = ExcessOf(sleeps.cut, threshold, own, own * 2);
  const double threads = std::max<double>(1, static_cast<double>(group.threads));
  // In runs of a command as much CPU time is as much work, and more sleeps beside it are longer
  // waits. Elsewhere more sleeps are more work.
  const bool per_run = seconds * 1e9 != own;
  const double amount = excess.ns / kNsPerMs;
  const double work =
      per_run ? Ms(group.of(facts::Share::kRunning)) + InfoOf(statistic).floor : all.count;
  Observation result;
  result.value = amount / seconds;
  result.sampling_variance = kPoissonPart * excess.variance();
  result.tested = {result.value / threads, work > 0 ? amount / work : 0};
  result.tests = 2;
  result.divisors = {threads, work / seconds};
  LongSleepDetail detail;
  detail.with_cut_ms = (excess.ns + cut.ns) / kNsPerMs / seconds;
  const uint64_t asleep = group.of(facts::Share::kSleeping);
  detail.asleep_ms =
      Ms(asleep - std::min(asleep, group.of(Duration::kForWork).whole_ns)) / (own / 1e9);
  detail.wakeups = static_cast<double>(group.wakeups) / seconds;
  detail.often = per_run ? static_cast<double>(group.wakeups) : detail.wakeups;
  const auto& enders = group.of(measure::Attribution::kWokenBy);
  const auto timer = enders.find(measure::kInterrupt);
  if (timer != enders.end()) {
    const measure::Blame& blame = timer->second;
    const double ms = Ms(blame.ns - std::min(blame.ns, blame.blocked_ns));
    const auto count = static_cast<double>(blame.count - std::min(blame.count, blame.blocked));
    detail.timer_ms = ms / (own / 1e9);
    detail.timer_sleeps = count / seconds;
    detail.timer_sleep_ms = count > 0 ? ms / count : 0;
  }
  detail.requests = static_cast<double>(group.of(Duration::kForWork).whole.count()) / (own / 1e9);
  detail.threads = threads;
  detail.per_run = per_run;
  result.detail = detail;
  return result;
}

// Variance of the logarithm of a quantile: the distance of the values a standard error of the rank
// below and above it, or `least_error`.
double VarianceOfQuantile(const Distribution& times, double q, double least_error = 0) {
  const double error =
      std::max(least_error, std::sqrt(q * (1 - q) / static_cast<double>(times.whole.count())));
  const auto low = static_cast<double>(times.Quantile(std::max(0.0, q - error)));
  const auto high = static_cast<double>(times.Quantile(std::min(1.0, q + error)));
  const double half = std::log((high + 1) / (low + 1)) / 2;
  return half * half;
}

// Sleeps for answers, their mean or median. Without those that take more than half of the capture:
// one thread that waits for the end of the run must not rule the mean.
std::optional<Observation> OfAnswers(const measure::Group& group, bool median, double own,
                                     double seconds) {
  const Distribution& answers = group.of(Duration::kForAnswer);
  LengthSum sum;
  double long_ns = 0;
  answers.whole.ForEach([&](uint32_t bucket, uint64_t count) {
    const auto middle = static_cast<double>(Histogram::MiddleOf(bucket));
    const auto of_bucket = static_cast<double>(count);
    if (middle > own * kExplained) {
      long_ns += middle * of_bucket;
      return;
    }
    sum.count += of_bucket;
    sum.ns += middle * of_bucket;
    sum.squares += middle * middle * of_bucket;
  });
  if (sum.count <= 0) return std::nullopt;
  const double ns = long_ns > 0 ? sum.ns : static_cast<double>(answers.whole_ns);
  const double each = median ? static_cast<double>(answers.Quantile(0.5)) : ns / sum.count;
  if (each > own * kExplained) return std::nullopt;
  Observation result = Observation::Of(each / kNsPerUs);
  // How many of the answers are slow ones differs from capture to capture. Where the median lies
  // between two kinds of them, it differs by as much as they do.
  result.sampling_variance = median ? VarianceOfQuantile(answers, 0.5, kLeastPart) : sum.variance();
  result.detail = AnswerDetail{.total_ms = each * sum.count / kNsPerMs / seconds,
                               .events = sum.count / seconds,
                               .cpu_ms = Ms(group.of(facts::Share::kRunning)) / seconds,
                               .wakeups = static_cast<double>(group.wakeups) / seconds};
  return result;
}

// Sleeps for an object of a kind that ended by the thread's own timer, if category `wait` was
// recorded.
struct TimerSleeps {
  double count = 0;
  double ms = 0;
};
TimerSleeps TimerSleepsIn(const measure::Group& group, std::string_view kind) {
  TimerSleeps sleeps;
  for (const auto& [object, blame] : group.waited_objects) {
    if (object.blocked || object.kind != kind || object.waits_for != facts::WaitsFor::kTimer) {
      continue;
    }
    sleeps.count += static_cast<double>(blame.count);
    sleeps.ms += Ms(blame.ns);
  }
  return sleeps;
}

// Sleeps for a time that the group asked for, in total and for each request. Nothing for a group
// that has no requests of others: it sets its own pace.
std::optional<Observation> OfPauses(const measure::Group& group, double own, double seconds) {
  const auto requests = static_cast<double>(group.of(Duration::kForWork).whole.count());
  if (requests < kLeastPerSecond * own / 1e9) return std::nullopt;
  const TimerSleeps pauses = TimerSleepsIn(group, schema::wait_kind::kSleep);
  const double threads = std::max<double>(1, static_cast<double>(group.threads));
  Observation result = OfTime(pauses.ms, seconds, VarianceOfCount(pauses.count));
  result.tested = {result.value / threads, pauses.ms / requests};
  result.tests = 2;
  result.divisors = {threads, requests / seconds};
  result.detail = PauseDetail{.requests = requests / seconds};
  return result;
}

// Whether timers other than timeouts of futexes end sleeps of the group, in all captures together.
// Runtimes sleep in a futex with a timeout.
bool HasOtherTimers(const Groups& groups, const SharedGroup& group) {
  double others = 0;
  double seconds = 0;
  for (size_t i = 0; i < groups.captures().size(); ++i) {
    const measure::Group* part = group.In(groups.captures(), i);
    if (part == nullptr) continue;
    seconds += static_cast<double>(groups.captures()[i]->length()) / kNsPerSecond;
    const auto& enders = part->of(measure::Attribution::kWokenBy);
    const auto timer = enders.find(measure::kInterrupt);
    if (timer == enders.end()) continue;
    const measure::Blame& blame = timer->second;
    others += static_cast<double>(blame.count - std::min(blame.count, blame.blocked)) -
              TimerSleepsIn(*part, schema::wait_kind::kFutex).count;
  }
  return others >= kLeastPerSecond * seconds;
}

// The sleeps that threads ended, in total and for each sleep that a timer
// ended. A futex that timed out was a wait for a thread, if the group has other timers. Nothing for
// a group without own timers: it sleeps until it has work.
std::optional<Observation> OfThreadSleeps(const measure::Group& group, bool has_other_timers,
                                          double own, double seconds) {
  double timer_sleeps = 0;
  double timer_ms = 0;
  double threads_ms = 0;
  double thread_sleeps = 0;
  for (const auto& [other, blame] : group.of(measure::Attribution::kWokenBy)) {
    const double ms = Ms(blame.ns - std::min(blame.ns, blame.blocked_ns));
    const auto count = static_cast<double>(blame.count - std::min(blame.count, blame.blocked));
    if (other == measure::kInterrupt) {
      timer_sleeps += count;
      timer_ms += ms;
    } else if (other != measure::kNoGroup) {
      threads_ms += ms;
      thread_sleeps += count;
    }
  }
  TimerSleeps timed_out;
  if (has_other_timers) timed_out = TimerSleepsIn(group, schema::wait_kind::kFutex);
  timer_sleeps -= std::min(timer_sleeps, timed_out.count);
  timer_ms -= std::min(timer_ms, timed_out.ms);
  thread_sleeps += timed_out.count;
  threads_ms += timed_out.ms;
  if (timer_sleeps < kLeastPerSecond * own / 1e9) return std::nullopt;
  const uint64_t of_others =
      group.of(Duration::kForAnswer).whole.count() + group.of(Duration::kForLock).whole.count();
  const double threads = std::max<double>(1, static_cast<double>(group.threads));
  Observation result = OfTime(threads_ms, seconds, VarianceOfCount(thread_sleeps));
  result.tested = {result.value / threads, threads_ms / timer_sleeps};
  result.tests = 2;
  result.divisors = {threads, timer_sleeps / seconds};
  result.detail = ThreadSleepDetail{
      .timer_ms = timer_ms / seconds,
      .timer_sleeps = timer_sleeps / seconds,
      .requests =
          static_cast<double>(group.wakeups - std::min(group.wakeups, of_others)) / seconds};
  return result;
}

// Waits in D, and the waits for a CPU behind them.
BlockedDetail BlockedIn(const measure::Group& group, double seconds) {
  return {.blocked_ms = Ms(group.of(facts::Share::kBlocked)) / seconds,
          .after_ms = Ms(group.after_blocked_ns) / seconds};
}

std::optional<Observation> ObserveIn(const measure::Group& group, Statistic statistic,
                                     const SleepThresholds& thresholds, double own, double seconds,
                                     double shortest, uint64_t out_of_scope_ns) {
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
      result.sampling_variance = VarianceOfCount(wakeups);
      result.detail = MeanDetail{.total_ms = cpu / seconds, .events = wakeups / seconds};
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
      const bool latency = statistic == Statistic::kLatencyRunnable;
      const uint64_t woken = group.of(facts::Share::kRunnableWakeup);
      const uint64_t preempted = group.of(facts::Share::kRunnablePreempted);
      const uint64_t waits = woken + preempted;
      Observation result = OfTime(
          Ms(waits - std::min(waits, out_of_scope_ns)), seconds,
          VarianceOf(group.of(latency ? Duration::kWakeupLatency : Duration::kPreemptedWait)));
      const double own_ms = Ms(latency ? woken : preempted) / seconds;
      result.detail = CpuWaitDetail{.own_ms = own_ms, .other_ms = Ms(waits) / seconds - own_ms};
      return result;
    }
    case Statistic::kPreemptedRate:
      return OfTime(Ms(group.of(facts::Share::kRunnablePreempted)), seconds,
                    VarianceOf(group.of(Duration::kPreemptedWait)));
    case Statistic::kPreemptedTypical:
      return OfTypical(group.of(Duration::kPreemptedWait), floor, seconds);
    case Statistic::kSleepExcessP25:
    case Statistic::kSleepExcessP50:
    case Statistic::kSleepExcessP90:
    case Statistic::kSleepExcessP99:
      return OfLongSleeps(group, statistic, thresholds, own, seconds, shortest);
    case Statistic::kAnswerP50:
    case Statistic::kAnswerMean:
      return OfAnswers(group, statistic == Statistic::kAnswerP50, own, seconds);
    case Statistic::kLockRate: {
      Observation result = OfTime(Ms(group.of(Duration::kForLock).whole_ns), seconds,
                                  VarianceOf(group.of(Duration::kForLock)));
      result.detail = LockDetail{
          .wakeups = static_cast<double>(group.wakeups) / seconds,
          .sleeps = static_cast<double>(group.of(Duration::kForLock).whole.count()) / seconds};
      return result;
    }
    case Statistic::kPauseRate:
      return OfPauses(group, own, seconds);
    case Statistic::kBlockedCount: {
      Observation result = OfCount(blocked.whole.count() + blocked.cut.count(), seconds);
      result.detail = BlockedIn(group, seconds);
      return result;
    }
    case Statistic::kBlockedRate: {
      Observation result =
          OfTime(Ms(group.of(facts::Share::kBlocked)), seconds, VarianceOf(blocked));
      result.detail = BlockedIn(group, seconds);
      return result;
    }
    case Statistic::kThrottledRate:
      return OfTime(Ms(group.of(facts::Share::kThrottled)), seconds);
    case Statistic::kAffinityRate:
      return OfTime(Ms(group.affinity_ns), seconds);
    case Statistic::kWeightRate:
      return OfTime(Ms(group.weight_ns), seconds);
    case Statistic::kRtThrottledRate:
      return OfTime(Ms(group.rt_throttled_ns), seconds);
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

// System calls and handlers: their time in total, and the mean of one.
Observation OfCalls(const Distribution& times, double seconds) {
  const double ms = Ms(times.whole_ns + times.cut_ns);
  const auto count = static_cast<double>(times.whole.count() + times.cut.count());
  Observation result = OfTime(ms, seconds, VarianceOf(times));
  result.tested[1] = count > 0 ? ms / count : 0;
  result.tests = 2;
  result.divisors = {1, count / seconds};
  return result;
}

// Of statistics of requests; none: the mean.
std::optional<double> QuantileOf(Statistic statistic) {
  if (statistic == Statistic::kRequestMean) return std::nullopt;
  if (statistic == Statistic::kRequestP90) return 0.9;
  return statistic == Statistic::kRequestP99 ? 0.99 : 0.5;
}

// Multiplies what was divided by threads or events with their geometric mean of all captures: it is
// in the unit of the statistic again, as its floor is.
void Scale(Observations& captures) {
  for (size_t t = 0; t < 2; ++t) {
    double logs = 0;
    double count = 0;
    for (const auto& capture : captures) {
      if (!capture || capture->divisors[t] <= 0) continue;
      logs += std::log(capture->divisors[t]);
      count += 1;
    }
    const double mean = count > 0 ? std::exp(logs / count) : 0;
    for (auto& capture : captures) {
      if (capture && capture->tests == 2) capture->tested[t] *= mean;
    }
  }
}

}  // namespace

SleepThresholds SleepThresholdsOf(const Groups& groups, const SharedGroup& group,
                                  const Normalization& normalization) {
  std::vector<double> pool(Histogram::kBuckets);
  uint32_t end = 0;  // behind the last bucket with any
  double total = 0;
  for (size_t i = 0; i < groups.captures().size(); ++i) {
    const measure::Group* part = group.In(groups.captures(), i);
    if (part == nullptr) continue;
    const auto own = static_cast<double>(groups.captures()[i]->length());
    double sum = 0;
    std::vector<std::pair<uint32_t, double>> weights;
    part->of(Duration::kSleep).whole.ForEach([&](uint32_t bucket, uint64_t count) {
      const double weight = static_cast<double>(count) *
                            CompleteWeight(static_cast<double>(Histogram::MiddleOf(bucket)), own,
                                           normalization.shortest);
      weights.emplace_back(bucket, weight);
      sum += weight;
    });
    total += 1;
    if (sum <= 0) {
      // Sleeps where there were none are longer than those of no length.
      pool[0] += 1;
      end = std::max(end, 1U);
      continue;
    }
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
                     const SleepThresholds& thresholds, const Normalization& normalization,
                     const OutOfScopeLoads& out_of_scope) {
  const measure::Group nothing;
  const bool has_other_timers =
      statistic == Statistic::kSleepForThreads && HasOtherTimers(groups, group);
  Observations result(groups.captures().size());
  for (size_t i = 0; i < result.size(); ++i) {
    const measure::Group* part = group.In(groups.captures(), i);
    // A group that is absent or mostly unknown does not sleep less.
    if (InfoOf(statistic).metric == Metric::kSleep && (part == nullptr || !IsMostlyKnown(*part))) {
      continue;
    }
    const auto own = static_cast<double>(groups.captures()[i]->length());
    const uint64_t wait_ns = i < out_of_scope.wait_ns.size() ? out_of_scope.wait_ns[i] : 0;
    result[i] = statistic == Statistic::kSleepForThreads
                    ? OfThreadSleeps(*part, has_other_timers, own, normalization.seconds[i])
                    : ObserveIn(part != nullptr ? *part : nothing, statistic, thresholds, own,
                                normalization.seconds[i], normalization.shortest, wait_ns);
    if (!result[i]) continue;
    if (auto* answers = std::get_if<AnswerDetail>(&result[i]->detail)) {
      const auto& by = part->of(measure::Attribution::kAnsweredBy);
      const auto own_threads = by.find(group.at[i]);
      const double ms = Ms(part->of(Duration::kForAnswer).whole_ns);
      if (own_threads != by.end()) answers->own_part = Ms(own_threads->second.ns) / ms;
    }
    result[i]->out_of_scope.wait_ms = Ms(wait_ns) / normalization.seconds[i];
    if (i < out_of_scope.threads.size()) result[i]->out_of_scope.threads = out_of_scope.threads[i];
  }
  Scale(result);
  return result;
}

Observations ObserveSyscall(const Groups& groups, const SharedGroup& group, const std::string& name,
                            const Normalization& normalization) {
  Observations result(groups.captures().size());
  for (size_t i = 0; i < result.size(); ++i) {
    const measure::Group* part = group.In(groups.captures(), i);
    const Distribution* calls = nullptr;
    if (part != nullptr) {
      const auto found = part->syscalls.find(name);
      if (found != part->syscalls.end()) calls = &found->second;
    }
    result[i] = OfCalls(calls != nullptr ? *calls : Distribution(), normalization.seconds[i]);
  }
  Scale(result);
  return result;
}

Observations ObserveHandler(Captures captures, const std::string& name,
                            const Normalization& normalization) {
  Observations result(captures.size());
  for (size_t i = 0; i < result.size(); ++i) {
    const auto found = captures[i]->handlers.find(name);
    result[i] = OfCalls(found != captures[i]->handlers.end() ? found->second : Distribution(),
                        normalization.seconds[i]);
  }
  Scale(result);
  return result;
}

Observations ObserveRequests(std::span<const Distribution* const> captures, Statistic statistic,
                             const Normalization& normalization) {
  Observations result(captures.size());
  for (size_t i = 0; i < result.size(); ++i) {
    if (captures[i] == nullptr) continue;
    const Distribution& times = *captures[i];
    const auto count = static_cast<double>(times.whole.count());
    const auto quantile = QuantileOf(statistic);
    if (count * (1 - quantile.value_or(0.5)) < kLeastRequestsBeyond) continue;
    const double mean = static_cast<double>(times.whole_ns) / count;
    Observation& made = result[i].emplace(Observation::Of(mean / kNsPerUs));
    if (quantile) {
      made = Observation::Of(static_cast<double>(times.Quantile(*quantile)) / kNsPerUs);
      made.sampling_variance = VarianceOfQuantile(times, *quantile);
    } else if (mean > 0) {
      // Of the mean of a given number.
      made.sampling_variance = std::max(0.0, VarianceOf(times) - 1 / count);
    }
    made.detail = RequestDetail{.total_ms = Ms(times.whole_ns) / normalization.seconds[i],
                                .events = count / normalization.seconds[i]};
  }
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
