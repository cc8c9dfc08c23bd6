// SPDX-License-Identifier: BSD-2-Clause
#include "compare/verdict_rules.h"

#include <cmath>

#include "compare/change_rules.h"

namespace comparison {
namespace {

using Decision = std::optional<Verdict>;

// A busy time in ms per second. Below it, a thread has time to spare.
constexpr double kSpare = 500;

// The logarithm of the least change.
double Effect() { return std::log(kLeastChange); }

Decision If(bool applies, Verdict verdict) { return applies ? Decision(verdict) : std::nullopt; }

bool IsCpuPerWakeup(const ComparisonRow& row) { return row.statistic == Statistic::kCpuPerWakeup; }
bool IsCpuRate(const ComparisonRow& row) {
  return row.metric == Metric::kCpuTime && !IsCpuPerWakeup(row);
}
bool IsCount(const ComparisonRow& row) {
  return row.metric == Metric::kSwitches || row.metric == Metric::kWakeups ||
         row.metric == Metric::kMigrations || row.metric == Metric::kForks;
}

constexpr VerdictRule kVerdictRules[] = {
    {"new_group", "No capture of the base has the group.", 0,
     [](const ComparisonRow&, const GroupChange& group, double) {
       return If(group.added, Verdict::kNew);
     }},
    {"gone_group", "No new capture has the group.", 0,
     [](const ComparisonRow&, const GroupChange& group, double) {
       return If(group.removed, Verdict::kGone);
     }},

    // CPU time
    {"work_moved", "Another thread of the process does its work now. Nothing is gained.",
     kExplained,
     [](const ComparisonRow& row, const GroupChange& group, double constant) {
       return If(row.metric == Metric::kCpuTime && row.change < 0 &&
                     group.running_beside >= -row.change * constant,
                 Verdict::kLess);
     }},

    // CPU time per wakeup
    {"time_to_spare",
     "A group that is busy for less than the constant (ms per second) delays nothing by the cost "
     "of a wakeup. More work for it shows as more CPU time.",
     kSpare,
     [](const ComparisonRow& row, const GroupChange& group, double constant) {
       return If(IsCpuPerWakeup(row) && std::abs(group.of(Statistic::kCpuRate)) < Effect() &&
                     group.busy < constant,
                 Verdict::kUnchanged);
     }},
    {"fewer_handovers",
     "Its threads wake each other less often. Each wakeup does more of the work, and one from "
     "outside of the group costs little more.",
     kExplained,
     [](const ComparisonRow& row, const GroupChange& group, double constant) {
       const double each = std::log(row.ratio.value);
       const double from_outside = group.of(Statistic::kCpuRate) - group.from_outside_log_ratio;
       const bool fewer =
           group.of(Statistic::kWakeupRate) < group.from_outside_log_ratio - Effect();
       return If(IsCpuPerWakeup(row) && row.change > 0 && fewer && from_outside < each * constant,
                 Verdict::kUnchanged);
     }},
    {"dearer_wakeups", "Each wakeup costs more, and the CPU time is not less.", 0,
     [](const ComparisonRow& row, const GroupChange& group, double) {
       return If(IsCpuPerWakeup(row) && row.change > 0 && group.of(Statistic::kCpuRate) > -Effect(),
                 Verdict::kWorse);
     }},
    {"larger_batches", "Fewer wakeups bring the same work in larger batches. Each costs more.", 0,
     [](const ComparisonRow& row, const GroupChange&, double) {
       return If(IsCpuPerWakeup(row) && row.change > 0, Verdict::kUnchanged);
     }},
    {"less_work_per_wakeup",
     "The groups, timers or devices that set the pace wake it less often. Wakeups in between bring "
     "no work, and make the mean cheaper.",
     kExplained,
     [](const ComparisonRow& row, const GroupChange& group, double constant) {
       const double each = std::log(row.ratio.value);
       const bool applies =
           IsCpuPerWakeup(row) && (group.requests_log_ratio / each >= constant ||
                                   group.timer_wakeups_log_ratio / each >= constant);
       return If(applies,
                 group.of(Statistic::kCpuRate) < -Effect() ? Verdict::kLess : Verdict::kUnchanged);
     }},
    {"cheaper_wakeups", "Each wakeup costs less, and the CPU time is not more.", 0,
     [](const ComparisonRow& row, const GroupChange& group, double) {
       return If(IsCpuPerWakeup(row),
                 group.of(Statistic::kCpuRate) < Effect() ? Verdict::kBetter : Verdict::kUnchanged);
     }},

    // CPU time in total
    {"more_work", "CPU time follows the wakeups: it is work, not its price.", kExplained,
     [](const ComparisonRow& row, const GroupChange& group, double constant) {
       const double explained = group.of(Statistic::kWakeupRate) / group.of(Statistic::kCpuRate);
       return If(
           IsCpuRate(row) && row.change > 0 && explained >= constant && explained <= 1 / constant,
           Verdict::kMore);
     }},
    {"dearer_work", "CPU time grew without the wakeups.", 0,
     [](const ComparisonRow& row, const GroupChange&, double) {
       return If(IsCpuRate(row) && row.change > 0, Verdict::kWorse);
     }},
    {"cheaper_work",
     "It does as much for less CPU time: it is woken as often, by each of those who may set the "
     "pace.",
     kExplained,
     [](const ComparisonRow& row, const GroupChange& group, double constant) {
       const double cpu = group.of(Statistic::kCpuRate);
       return If(IsCpuRate(row) && std::abs(group.of(Statistic::kWakeupRate) / cpu) <= constant &&
                     group.requests_log_ratio / cpu <= constant &&
                     group.timer_wakeups_log_ratio / cpu <= constant,
                 Verdict::kBetter);
     }},
    {"less_work", "CPU time fell with the wakeups.", 0,
     [](const ComparisonRow& row, const GroupChange&, double) {
       return If(IsCpuRate(row), Verdict::kLess);
     }},

    // switches, wakeups, migrations, forks
    {"fewer_events", "Fewer events are neither better nor worse.", 0,
     [](const ComparisonRow& row, const GroupChange&, double) {
       return If(IsCount(row) && row.change <= 0, Verdict::kLess);
     }},
    {"preemptions_without_waits",
     "The switches are preemptions, after which it waits no longer in total.", kExplained,
     [](const ComparisonRow& row, const GroupChange& group, double constant) {
       return If(row.metric == Metric::kSwitches && !group.waits_longer_preempted &&
                     group.preemptions >= (row.next.value - row.base.value) * constant,
                 Verdict::kUnchanged);
     }},
    {"asks_more", "A group that asks more often is woken by more answers.", kExplained,
     [](const ComparisonRow& row, const GroupChange& group, double constant) {
       return If(IsCount(row) && group.answers_log_ratio >= std::log(row.ratio.value) * constant,
                 Verdict::kMore);
     }},
    {"events_without_work", "The events grew without the CPU time.", kExplained,
     [](const ComparisonRow& row, const GroupChange& group, double constant) {
       const double cpu = group.of(Statistic::kCpuRate);
       return If(IsCount(row) && cpu < std::log(row.ratio.value) * constant && cpu > -Effect(),
                 Verdict::kWorse);
     }},
    {"events_of_work", "The events grew with the CPU time.", 0,
     [](const ComparisonRow& row, const GroupChange&, double) {
       return If(IsCount(row), Verdict::kMore);
     }},

    // waits, sleeps, time in handlers and calls, elapsed time
    {"machine_load", "The load of the machine is shown for information.", 0,
     [](const ComparisonRow& row, const GroupChange&, double) {
       return If(row.metric == Metric::kMachine, Verdict::kUnchanged);
     }},
    {"longer", "More of a time that nothing is gained from.", 0,
     [](const ComparisonRow& row, const GroupChange&, double) {
       return If(row.change > 0, Verdict::kWorse);
     }},
    {"shorter", "Less of a time that nothing is gained from.", 0,
     [](const ComparisonRow&, const GroupChange&, double) { return Decision(Verdict::kBetter); }},
};

}  // namespace

std::span<const VerdictRule> VerdictRules() { return kVerdictRules; }

void Judge(ComparisonRow& row, const GroupChange& group) {
  for (const VerdictRule& rule : kVerdictRules) {
    if (const auto verdict = rule.verdict(row, group, rule.constant)) {
      row.verdict = *verdict;
      row.verdict_rule = rule.name;
      return;
    }
  }
}

}  // namespace comparison
