// SPDX-License-Identifier: BSD-2-Clause
#include "compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "compare/attribution.h"
#include "compare/details.h"
#include "compare/prior.h"
#include "compare/rank.h"
#include "compare/row_tests.h"
#include "compare/statistics/moderated_test.h"
#include "compare/statistics/multiple_tests.h"
#include "compare/suppression.h"
#include "compare/values/comparability.h"
#include "compare/values/interleaving.h"
#include "compare/values/scope.h"
#include "compare/verdicts.h"

namespace comparison {
namespace {

using measure::Capture;

// Added before the logarithm to how often others wake a group, and timers and devices, per second.
constexpr double kTurnsFloor = 10;
// The same of its waits for a CPU, ms per second.
constexpr double kWaitsFloor = 1;
// Where too few captures confirm nothing, what stands out is shown at so many times the rate.
constexpr double kUnconfirmedRate = 10;
// Less of a time explains a finding only where it is so many times its standard error: load comes
// and goes, and what comes with it by chance must not hide what is there in every capture.
constexpr double kSureRelief = 2;

// The tests that are corrected for together: a group, the command, or the machine's handlers.
struct TestedUnit {
  std::optional<size_t> group;
  measure::GroupName name;
  std::vector<Seen> seen;
  RowTests tests;
  GroupChange change;
  std::vector<size_t> numbers;  // of its rows in the report
  SuppressionFacts facts;
};

void SortByTime(std::vector<Capture>& captures) {
  std::sort(captures.begin(), captures.end(), [](const Capture& a, const Capture& b) {
    return std::tie(a.start_time, a.file) < std::tie(b.start_time, b.file);
  });
}

double SecondsOf(const Capture& capture) {
  return std::max(1.0, static_cast<double>(capture.length())) / 1e9;
}

// ms that threads of a group ran, waited for a CPU or were in D.
double BusyOf(const measure::Group& group) {
  return static_cast<double>(
             group.of(facts::Share::kRunning) + group.of(facts::Share::kRunnableWakeup) +
             group.of(facts::Share::kRunnablePreempted) + group.of(facts::Share::kBlocked)) /
         1e6;
}

// How much less there is of a time in the new captures, in its unit, where it is surely less.
double ReliefOf(std::span<const double> times, size_t bases, const Pairs& pairs) {
  const auto base = times.first(bases);
  const auto next = times.subspan(bases);
  const Spread spread = SpreadOf(base, next, pairs);
  const double less = MeanOf(base) - MeanOf(next);
  const double error = std::sqrt(spread.variance * (1 / static_cast<double>(base.size()) +
                                                    1 / static_cast<double>(next.size())));
  // Of a capture a side it is not known how much it varies: the error is 0.
  return less < kSureRelief * error ? 0 : std::max(0.0, less);
}

class Comparer {
 public:
  Comparer(Captures captures, size_t bases, Captures noise, Comparability comparability)
      : captures_(captures),
        bases_(bases),
        comparability_(std::move(comparability)),
        groups_(captures, bases),
        frame_(FrameOf(captures)),
        pairs_(TurnsOf(captures, bases)),
        noise_(noise.size()),
        priors_(noise.size() < kLeastNoiseCaptures ? Priors() : Priors::Of(noise)) {
    groups_.MatchRenamed();
    scope_ = ScopeOf(groups_);
    foreign_demand_ = ForeignDemand(groups_, scope_);
    clocked_ = ClockedOf(groups_, scope_);
  }

  DiffReport Run() {
    Describe();
    for (size_t g = 0; g < groups_.all().size(); ++g) {
      if (scope_[g]) AddGroup(g);
    }
    AddHandlers();
    AddCommand();
    Test();
    Decide();
    for (TestedUnit& unit : units_) Fold(report_.rows, unit.numbers, unit.facts);
    Attribution(groups_, frame_, scope_, report_.rows).Attribute();
    AddLoad();
    AddOthers();
    auto& ranked = report_.confirmed ? report_.findings : report_.unconfirmed;
    ranked = RankOf(report_.rows);
    for (const Row& row : report_.rows) report_.untold += row.verdict == Verdict::kCannotTell;
    AddDetails(report_, groups_, scope_, frame_);
    return std::move(report_);
  }

 private:
  void Describe() {
    report_.comparable = comparability_.ok;
    report_.notes = comparability_.notes;
    report_.paired = !pairs_.empty();
    report_.per_run = frame_.per_run;
    if (frame_.per_run) report_.seconds_per_run = frame_.seconds.front();
    report_.confirmed = std::min(bases_, captures_.size() - bases_) >= kConfirmed;
    if (noise_ != 0) {
      report_.notes.push_back(fmt::format(
          "how much captures of one thing differ is taken from {} captures, not from what is usual",
          noise_));
    }
    for (const SharedGroup& group : groups_.all()) {
      if (!group.former_name) continue;
      report_.notes.push_back(fmt::format(
          "{}/{} of the base is {}/{} of the new captures by what it does: taken as renamed",
          group.former_name->process, group.former_name->thread, group.name.process,
          group.name.thread));
    }
  }

  void AddUnit(TestedUnit unit, std::vector<Seen> seen, measure::GroupName name) {
    scales_.Add(seen, name, bases_, pairs_, priors_);
    unit.seen = std::move(seen);
    unit.name = std::move(name);
    units_.push_back(std::move(unit));
  }

  void Test() {
    for (TestedUnit& unit : units_) {
      unit.tests = TestRows(unit.seen, unit.name, bases_, pairs_, priors_, scales_);
      unit.change.change = unit.tests.change;
      const double least = -std::log(kLeastChange);
      unit.facts.slowed = unit.change.change[static_cast<size_t>(Statistic::kWakeupRate)] < least ||
                          unit.change.requests < least;
      for (Row& row : unit.tests.rows) {
        row.group = unit.group;
        unit.numbers.push_back(report_.rows.size());
        report_.rows.push_back(row);
      }
    }
  }

  void AddGroup(size_t number) {
    const SharedGroup& group = groups_.all()[number];
    TestedUnit unit;
    unit.group = number;
    std::set<std::string> calls;
    size_t there[2] = {0, 0};
    double requests[2] = {0, 0};
    double turns[2] = {0, 0};
    double latency[2] = {0, 0};
    double preempted[2] = {0, 0};
    double busy[2] = {0, 0};
    std::vector<double> runnable(captures_.size());
    std::vector<double> blocked(captures_.size());
    for (size_t i = 0; i < captures_.size(); ++i) {
      const measure::Group* part = group.In(captures_, i);
      if (part == nullptr) continue;
      const bool next = i >= bases_;
      ++there[next];
      const double weight =
          1 / frame_.seconds[i] / static_cast<double>(next ? captures_.size() - bases_ : bases_);
      latency[next] += weight * static_cast<double>(part->of(facts::Share::kRunnableWakeup)) / 1e6;
      preempted[next] +=
          weight * static_cast<double>(part->of(facts::Share::kRunnablePreempted)) / 1e6;
      const double change = (next ? 1 : -1) * weight / 1e6;
      unit.change.forced += change * 1e6 * static_cast<double>(part->switches_involuntary);
      busy[next] += BusyOf(*part) / SecondsOf(*captures_[i]) * weight * frame_.seconds[i];
      unit.facts.after_blocked += change * static_cast<double>(part->after_blocked_ns);
      unit.facts.running += change * static_cast<double>(part->of(facts::Share::kRunning));
      unit.facts.asleep += change * static_cast<double>(part->of(facts::Share::kSleeping));
      runnable[i] = static_cast<double>(part->of(facts::Share::kRunnableWakeup) +
                                        part->of(facts::Share::kRunnablePreempted));
      blocked[i] = static_cast<double>(part->of(facts::Share::kBlocked));
      unit.facts.runnable += change * runnable[i];
      unit.facts.blocked += change * blocked[i];
      runnable[i] /= 1e6 * frame_.seconds[i];
      blocked[i] /= 1e6 * frame_.seconds[i];
      for (const auto& [other, blame] : part->of(measure::Attribution::kWokenBy)) {
        if (other < captures_[i]->groups.size() && other != group.at[i]) {
          requests[next] += weight * static_cast<double>(blame.count);
        }
        if (other == measure::kInterrupt) turns[next] += weight * static_cast<double>(blame.count);
      }
      for (const auto& [call, times] : part->syscalls) calls.insert(call);
    }
    unit.change.busy = std::max(busy[0], busy[1]);
    unit.change.waits_more = preempted[1] > preempted[0];
    unit.change.added = there[0] == 0;
    unit.change.removed = there[1] == 0;
    unit.change.requests = std::log((requests[1] + kTurnsFloor) / (requests[0] + kTurnsFloor));
    unit.change.turns = std::log((turns[1] + kTurnsFloor) / (turns[0] + kTurnsFloor));
    unit.facts.relief = ReliefOf(runnable, bases_, pairs_) + ReliefOf(blocked, bases_, pairs_);
    unit.facts.latency = std::log((latency[1] + kWaitsFloor) / (latency[0] + kWaitsFloor));
    unit.facts.preempted = std::log((preempted[1] + kWaitsFloor) / (preempted[0] + kWaitsFloor));
    const SleepThresholds thresholds = SleepThresholdsOf(groups_, group, frame_);
    const std::vector<uint64_t> foreign_waits = ForeignWaits(groups_, number, scope_);
    const Foreign foreign{foreign_waits, foreign_demand_};
    std::vector<Seen> seen;
    for (size_t s = 0; s < kStatistics; ++s) {
      const auto statistic = static_cast<Statistic>(s);
      const Metric metric = InfoOf(statistic).metric;
      if (metric == Metric::kIrqTime || metric == Metric::kSoftirqTime ||
          metric == Metric::kSyscallTime || metric >= Metric::kElapsed) {
        continue;
      }
      seen.push_back(
          {statistic, "", Observe(groups_, group, statistic, thresholds, frame_, foreign)});
      // Two that no thread wakes may wait for each other over the network: neither paces itself.
      const auto clocks = std::count(clocked_.begin(), clocked_.end(), true);
      if (clocks > (clocked_[number] ? 1 : 0)) {
        for (auto& capture : seen.back().captures) {
          if (capture) capture->pauses = 0;
        }
      }
    }
    if (!comparability_.syscall) calls.clear();
    for (const std::string& call : calls) {
      seen.push_back({Statistic::kSyscallRate, call, ObserveSyscall(groups_, group, call, frame_),
                      calls.size()});
    }
    AddUnit(std::move(unit), std::move(seen), group.name);
  }

  void AddHandlers() {
    std::set<std::string> names;
    for (const Capture* capture : captures_) {
      for (const auto& [name, times] : capture->handlers) names.insert(name);
    }
    std::vector<Seen> seen;
    for (const std::string& name : names) {
      const bool softirq = name.starts_with("softirq");
      if (!(softirq ? comparability_.softirq : comparability_.irq)) continue;
      seen.push_back({softirq ? Statistic::kSoftirqRate : Statistic::kIrqRate, name,
                      ObserveHandler(captures_, name, frame_), names.size()});
    }
    if (!seen.empty()) AddUnit({}, std::move(seen), {});
  }

  void AddCommand() {
    const Observations elapsed = ObserveElapsed(captures_);
    if (std::all_of(elapsed.begin(), elapsed.end(), [](const auto& one) { return one; })) {
      AddUnit({}, {{Statistic::kElapsedTime, "", elapsed}}, {});
    }
  }

  void AddLoad() {
    RowTests load =
        TestRows({{Statistic::kMachineLoad, "", ObserveLoad(captures_)}}, {}, bases_, {}, priors_);
    for (Row& row : load.rows) {
      row.verdict = Verdict::kUnchanged;  // for information
      row.p = row.q = 1;
      report_.rows.push_back(std::move(row));
    }
  }

  void AddOthers() {
    for (size_t g = 0; g < groups_.all().size(); ++g) {
      const SharedGroup& group = groups_.all()[g];
      if (scope_[g] || group.of_recorder) continue;
      RowTests tests = TestRows(
          {{Statistic::kCpuRate, "", Observe(groups_, group, Statistic::kCpuRate, {}, frame_)}},
          group.name, bases_, pairs_, priors_);
      for (Row& row : tests.rows) {
        row.group = g;
        if (std::abs(row.change) < InfoOf(Statistic::kCpuRate).gate) continue;
        row.verdict = Verdict::kCannotTell;
        report_.others.push_back(std::move(row));
      }
    }
    std::sort(report_.others.begin(), report_.others.end(), [](const Row& a, const Row& b) {
      return std::pair(-std::abs(a.change), a.group) < std::pair(-std::abs(b.change), b.group);
    });
  }

  // Which groups have changed, and of those which metrics: Benjamini and Hochberg over the groups,
  // and again within each of those found, at a rate that allows for their choice (Benjamini and
  // Bogomolov).
  void Decide() {
    const double rate =
        report_.confirmed ? kFalseDiscoveries : kUnconfirmedRate * kFalseDiscoveries;
    std::vector<double> p;
    std::vector<size_t> tested;
    for (size_t u = 0; u < units_.size(); ++u) {
      const bool any = std::any_of(units_[u].tests.rows.begin(), units_[u].tests.rows.end(),
                                   [](const Row& row) { return row.p < 1; });
      if (!any && units_[u].tests.p >= 1) continue;
      tested.push_back(u);
      p.push_back(units_[u].tests.p);
    }
    const std::vector<double> rates = FalseDiscoveryRates(p);
    const auto found = static_cast<double>(
        std::count_if(rates.begin(), rates.end(), [&](double q) { return q <= rate; }));
    for (size_t t = 0; t < tested.size(); ++t) {
      TestedUnit& unit = units_[tested[t]];
      std::vector<double> row_p;
      for (const size_t number : unit.numbers) row_p.push_back(report_.rows[number].p);
      const std::vector<double> row_rates = FalseDiscoveryRates(row_p);
      const double chosen = static_cast<double>(p.size()) / std::max(1.0, found);
      for (size_t i = 0; i < unit.numbers.size(); ++i) {
        Row& row = report_.rows[unit.numbers[i]];
        row.q = std::min(1.0, std::max(rates[t], row_rates[i] * chosen));
        if (row.q <= rate) row.verdict = Judge(row, unit.change);
      }
    }
  }

  Captures captures_;
  size_t bases_;
  Comparability comparability_;
  Groups groups_;
  Frame frame_;
  Pairs pairs_;
  size_t noise_;  // captures that tell how much those of one thing differ
  Priors priors_;
  NoiseScales scales_;
  std::vector<bool> scope_;
  std::vector<double> foreign_demand_;
  std::vector<bool> clocked_;
  std::vector<TestedUnit> units_;
  DiffReport report_;
};

}  // namespace

util::Result<DiffReport> Compare(DiffInput input) {
  SortByTime(input.base);
  SortByTime(input.next);
  std::vector<const Capture*> captures;
  for (const Capture& capture : input.base) captures.push_back(&capture);
  for (const Capture& capture : input.next) captures.push_back(&capture);
  std::vector<const Capture*> noise;
  for (const Capture& capture : input.noise) noise.push_back(&capture);
  auto comparability = Look(captures, input.base.size());
  if (!comparability) return comparability.TakeError();
  return Comparer(captures, input.base.size(), noise, std::move(*comparability)).Run();
}

}  // namespace comparison
