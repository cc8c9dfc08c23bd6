// SPDX-License-Identifier: BSD-2-Clause
#include "compare/suppression_rules.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace comparison {
namespace {

constexpr Metric kAll[] = {
    Metric::kCpuTime,     Metric::kSlice,       Metric::kWakeupLatency, Metric::kPreemptedWait,
    Metric::kSleep,       Metric::kBlocked,     Metric::kThrottled,     Metric::kAffinity,
    Metric::kWeight,      Metric::kRtThrottled, Metric::kSwitches,      Metric::kWakeups,
    Metric::kMigrations,  Metric::kForks,       Metric::kIrqTime,       Metric::kSoftirqTime,
    Metric::kSyscallTime, Metric::kInversion,   Metric::kUnconserved,   Metric::kElapsed,
    Metric::kMachine,     Metric::kRequest};
static_assert(std::size(kAll) == kMetrics);
constexpr Metric kLatency[] = {Metric::kWakeupLatency};
constexpr Metric kCpuWaits[] = {Metric::kWakeupLatency, Metric::kPreemptedWait};
constexpr Metric kSleeps[] = {Metric::kSleep};
constexpr Metric kSwitching[] = {Metric::kSwitches};
constexpr Metric kMigrating[] = {Metric::kMigrations};
constexpr Metric kCpu[] = {Metric::kCpuTime};
constexpr Metric kWaking[] = {Metric::kWakeups};
constexpr Metric kCalls[] = {Metric::kSyscallTime};
constexpr Metric kParts[] = {Metric::kInversion, Metric::kUnconserved, Metric::kWeight,
                             Metric::kSlice};

bool IsMore(const ComparisonRow& row) { return row.change > 0; }
bool IsBetter(const ComparisonRow& row) { return row.verdict == Verdict::kBetter; }

// Of all waits for a CPU after wakeups, or after preemptions.
double LogRatioOfWaits(const GroupFindings& findings, const ComparisonRow& row) {
  return row.metric == Metric::kWakeupLatency ? findings.facts().latency_log_ratio
                                              : findings.facts().preempted_log_ratio;
}

// A group with fewer waits sleeps longer.
Suppression SleepInSlack(const GroupFindings& findings, const ComparisonRow& row, double part) {
  // Sleeps until a thread ends them are waits in place of its own timers: slack lengthens those.
  // Longer answers are of those that give them.
  if (row.change <= 0 || row.statistic == Statistic::kSleepForThreads || IsAnswers(row.statistic)) {
    return {};
  }
  const SuppressionFacts& facts = findings.facts();
  const auto cheaper = findings.Find(Metric::kCpuTime, IsBetter);
  const double slack = facts.slack - (cheaper ? findings.row(*cheaper).change : 0);
  if (facts.slowed || slack < row.change * part) return {};
  const auto cause = cheaper ? cheaper : findings.Find(IsBetter);
  // The waits became fewer, but by less than a finding.
  return {.by = cause, .drop = !cause};
}

Suppression SleepTakenByWork(const GroupFindings& findings, const ComparisonRow& row, double part) {
  if (row.change > 0) return {};
  if (const auto cpu = findings.Find(Metric::kCpuTime, IsMore)) return {.by = cpu};
  if (const auto wakeups = findings.Find(Metric::kWakeups, IsMore)) return {.by = wakeups};
  const SuppressionFacts& facts = findings.facts();
  const double taken =
      std::max(0.0, facts.running) + std::max(0.0, facts.runnable) + std::max(0.0, facts.blocked);
  if (taken < -row.change * part) return {};
  const auto cause = findings.Find(IsMore);
  return {.by = cause, .drop = !cause};
}

constexpr SuppressionRule kSuppressionRules[] = {
    {"appears_or_disappears", kAll,
     "All changes of a group that is new or gone are one: that it is new or gone.", 0, true,
     [](const GroupFindings& findings, const ComparisonRow&, double) {
       return Suppression{.by = findings.Find([](const ComparisonRow& other) {
         return other.verdict == Verdict::kNew || other.verdict == Verdict::kGone;
       })};
     }},
    {"latency_after_blocked", kLatency,
     "A wait in D ends with a wakeup, whose latency is a part of it.", kExplained, false,
     [](const GroupFindings& findings, const ComparisonRow& row, double part) {
       constexpr Metric kCauses[] = {Metric::kBlocked};
       if (findings.facts().latency_after_blocked / row.change < part) return Suppression{};
       return Suppression{.by = findings.SameDirection(row, kCauses)};
     }},
    {"wait_with_reason", kCpuWaits,
     "A wait for a CPU is longer by its part with a reason: affinity, real-time throttling.",
     kExplained, false,
     [](const GroupFindings& findings, const ComparisonRow& row, double part) {
       for (const Metric metric : {Metric::kRtThrottled, Metric::kAffinity}) {
         const auto cause = findings.Find(metric, [&](const ComparisonRow& reason) {
           return reason.change / row.change >= part;
         });
         if (cause) return Suppression{.by = cause};
       }
       return Suppression{};
     }},
    {"waits_of_more_wakeups", kCpuWaits,
     "Each wakeup has its latency, and a group that is woken more often is preempted more often; "
     "one that is woken less often waits less.",
     kExplained, false,
     [](const GroupFindings& findings, const ComparisonRow& row, double part) {
       return Suppression{.by = findings.Find(Metric::kWakeups, [&](const ComparisonRow& wakeups) {
         const double sign = row.change > 0 ? 1 : -1;
         const double explained = std::log(wakeups.ratio.value) * sign;
         return explained > 0 && explained >= LogRatioOfWaits(findings, row) * sign * part;
       })};
     }},
    {"waits_of_more_running", kCpuWaits,
     "A group that runs more waits more for a CPU: by as many ms, or by as many times.", kExplained,
     false,
     [](const GroupFindings& findings, const ComparisonRow& row, double part) {
       return Suppression{.by = findings.Find(Metric::kCpuTime, [&](const ComparisonRow& cpu) {
         const bool by_times = row.change > 0 && cpu.change > 0 &&
                               cpu.statistic == Statistic::kCpuRate &&
                               std::log(cpu.ratio.value) >= LogRatioOfWaits(findings, row) * part;
         const bool by_ms = row.metric == Metric::kPreemptedWait && cpu.change / row.change >= part;
         return by_ms || by_times;
       })};
     }},
    {"waits_for_cpu_elsewhere", kCpuWaits,
     "A group that waits less for a CPU in one way and more in the other is not better off.",
     kExplained, false,
     [](const GroupFindings& findings, const ComparisonRow& row, double part) {
       const bool elsewhere = row.change < 0 && findings.facts().runnable > row.change * part;
       return Suppression{.by = {}, .drop = elsewhere};
     }},
    {"sleep_in_slack", kSleeps,
     "A group that does as much as before and waits or runs less has more time to sleep. "
     "Longer answers are of those who give them.",
     kExplained, false, SleepInSlack},
    {"sleep_taken_by_work", kSleeps,
     "A group that runs, waits for a CPU or is in D where it slept before is not better off.",
     kExplained, false, SleepTakenByWork},
    {"switches_of_waits", kSwitching, "Wakeups, waits and runs begin and end with switches.", 0,
     false,
     [](const GroupFindings& findings, const ComparisonRow& row, double) {
       constexpr Metric kCauses[] = {
           Metric::kThrottled,     Metric::kAffinity, Metric::kRtThrottled, Metric::kWakeups,
           Metric::kPreemptedWait, Metric::kBlocked,  Metric::kCpuTime};
       return Suppression{.by = findings.SameDirection(row, kCauses)};
     }},
    {"migrations_of_wakeups", kMigrating, "The scheduler chooses a CPU at each wakeup.", kExplained,
     false,
     [](const GroupFindings& findings, const ComparisonRow& row, double part) {
       return Suppression{.by = findings.Find(Metric::kWakeups, [&](const ComparisonRow& wakeups) {
         return std::log(wakeups.ratio.value) / std::log(row.ratio.value) >= part;
       })};
     }},
    {"migrations_of_more_running", kMigrating,
     "A group that runs more is moved more often, which costs little beside.", kLeastPart, false,
     [](const GroupFindings& findings, const ComparisonRow& row, double part) {
       return Suppression{.by = findings.Find(Metric::kCpuTime, [&](const ComparisonRow& cpu) {
         return row.change > 0 && row.change <= cpu.change * part;
       })};
     }},
    {"cheaper_mean_of_more_events", kCpu,
     "The mean CPU time of a wakeup falls where there are more cheap ones.", 0, false,
     [](const GroupFindings& findings, const ComparisonRow& row, double) {
       if (row.statistic != Statistic::kCpuPerWakeup || row.change > 0) return Suppression{};
       const auto forks = findings.Find(Metric::kForks, IsMore);
       return Suppression{.by = forks ? forks : findings.Find(Metric::kWakeups, IsMore)};
     }},
    {"dearer_mean_of_fewer_wakeups", kCpu,
     "A group that waits longer for threads is woken less often, and runs as much as before: the "
     "mean of a wakeup grows.",
     kExplained, false,
     [](const GroupFindings& findings, const ComparisonRow& row, double part) {
       const bool applies = row.statistic == Statistic::kCpuPerWakeup && row.change > 0 &&
                            findings.facts().running < row.change * part;
       if (!applies) return Suppression{};
       return Suppression{.by = findings.Find(Metric::kSleep, [&](const ComparisonRow& sleep) {
         const bool for_threads = sleep.statistic == Statistic::kSleepForThreads ||
                                  sleep.statistic == Statistic::kLockRate;
         return for_threads && sleep.change >= row.change * part;
       })};
     }},
    {"wakeups_of_work", kWaking, "More or less work changes CPU time and wakeups at once.", 0,
     false,
     [](const GroupFindings& findings, const ComparisonRow& row, double) {
       return Suppression{.by = findings.Find(Metric::kCpuTime, [&](const ComparisonRow& cpu) {
         return row.verdict == cpu.verdict &&
                (row.verdict == Verdict::kMore || row.verdict == Verdict::kLess);
       })};
     }},
    {"system_call_of_its_activity", kCalls, "A group runs, sleeps and waits in its system calls.",
     0, false,
     [](const GroupFindings& findings, const ComparisonRow& row, double) {
       constexpr Metric kCauses[] = {Metric::kThrottled,     Metric::kCpuTime,
                                     Metric::kBlocked,       Metric::kSleep,
                                     Metric::kPreemptedWait, Metric::kWakeupLatency};
       return Suppression{.by = findings.SameDirection(row, kCauses)};
     }},
    {"part_of_another_metric", kParts,
     "Slices change with everything. Priority inversion, waits beside an idle CPU and behind a "
     "greater weight are parts of waits, and no findings alone.",
     0, false,
     [](const GroupFindings& findings, const ComparisonRow& row, double) {
       constexpr Metric kCauses[] = {Metric::kAffinity,      Metric::kPreemptedWait,
                                     Metric::kWakeupLatency, Metric::kCpuTime,
                                     Metric::kWakeups,       Metric::kBlocked};
       auto cause = findings.SameDirection(row, kCauses);
       if (!cause) {
         cause = findings.Find([](const ComparisonRow& other) { return !IsPart(other.metric); });
       }
       return Suppression{.by = cause, .drop = !cause};
     }},
};

bool IsOpen(const ComparisonRow& row) { return IsFinding(row.verdict) && !row.suppressed_by; }

// Returns whether the rule applies to any row.
bool Apply(const SuppressionRule& rule, std::vector<ComparisonRow>& rows,
           std::span<const size_t> numbers, const GroupFindings& findings) {
  bool any = false;
  for (const Metric metric : rule.metrics) {
    for (const size_t number : numbers) {
      ComparisonRow& row = rows[number];
      if (row.metric != metric || !IsOpen(row)) continue;
      const Suppression suppression = rule.apply(findings, row, rule.part);
      any = any || suppression.by || suppression.drop;
      if (suppression.by && *suppression.by != number) {
        row.suppressed_by = suppression.by;
        row.suppression_rule = rule.name;
      } else if (suppression.drop) {
        row.verdict = Verdict::kUnchanged;
        row.suppression_rule = rule.name;
      }
    }
  }
  return any;
}

}  // namespace

std::optional<size_t> GroupFindings::Find(Metric metric, const Match& matches) const {
  std::optional<size_t> best;
  for (const size_t number : numbers_) {
    const ComparisonRow& one = rows_[number];
    if (one.metric != metric || !IsOpen(one) || !matches(one)) continue;
    if (!best || std::abs(one.change) > std::abs(rows_[*best].change)) best = number;
  }
  return best;
}

std::optional<size_t> GroupFindings::Find(const Match& matches) const {
  for (size_t metric = 0; metric < kMetrics; ++metric) {
    if (const auto found = Find(static_cast<Metric>(metric), matches)) return found;
  }
  return std::nullopt;
}

std::optional<size_t> GroupFindings::SameDirection(const ComparisonRow& row,
                                                   std::span<const Metric> metrics) const {
  const auto same = [&](const ComparisonRow& other) {
    return (other.change > 0) == (row.change > 0);
  };
  for (const Metric metric : metrics) {
    if (const auto found = Find(metric, same)) return found;
  }
  return std::nullopt;
}

std::span<const SuppressionRule> SuppressionRules() { return kSuppressionRules; }

void SuppressSymptoms(std::vector<ComparisonRow>& rows, std::span<const size_t> numbers,
                      const SuppressionFacts& facts) {
  const GroupFindings findings(rows, numbers, facts);
  for (const SuppressionRule& rule : kSuppressionRules) {
    if (Apply(rule, rows, numbers, findings) && rule.exclusive) break;
  }
  // A symptom of a symptom is one of the first cause.
  for (const size_t number : numbers) {
    auto& by = rows[number].suppressed_by;
    for (size_t steps = 0; by && rows[*by].suppressed_by && steps < numbers.size(); ++steps) {
      by = rows[*by].suppressed_by;
    }
  }
}

}  // namespace comparison
