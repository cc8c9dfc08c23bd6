// SPDX-License-Identifier: BSD-2-Clause
#include "compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "compare/attribution.h"
#include "compare/details.h"
#include "compare/explaining_settings.h"
#include "compare/row_tests.h"
#include "compare/statistics/moderated_test.h"
#include "compare/statistics/multiple_tests.h"
#include "compare/suppression_rules.h"
#include "compare/values/answering.h"
#include "compare/values/comparability.h"
#include "compare/values/disturbance.h"
#include "compare/values/requests.h"
#include "compare/values/scope.h"
#include "compare/variance_priors.h"
#include "compare/verdict_rules.h"

namespace comparison {
namespace {

using measure::Capture;

// With too few captures to confirm a change, the false discovery rate is multiplied by this.
constexpr double kUnconfirmedRate = 10;
// The standard errors that slack needs to explain a finding. Slack that varies with the load must
// not hide a change that every capture has.
constexpr double kSignificantSlack = 2;

// Tests that are corrected for together: of a group, of the command, of the handlers, or of the
// requests of a name.
struct TestedUnit {
  std::optional<size_t> group;
  std::optional<size_t> request;  // in DiffReport::requests
  measure::GroupName name;
  std::vector<StatisticSample> samples;
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

// Time that threads of a group ran, waited for a CPU or were in D, ms.
double BusyOf(const measure::Group& group) {
  return static_cast<double>(
             group.of(facts::Share::kRunning) + group.of(facts::Share::kRunnableWakeup) +
             group.of(facts::Share::kRunnablePreempted) + group.of(facts::Share::kBlocked)) /
         1e6;
}

// Base less new of a time by capture, if it is significantly above 0.
double SlackOf(std::span<const double> times, size_t bases, const Pairs& pairs) {
  const auto base = times.first(bases);
  const auto next = times.subspan(bases);
  const SampleVariance variance = PooledVariance(base, next, pairs);
  const double less = MeanOf(base) - MeanOf(next);
  const double error = std::sqrt(variance.variance * (1 / static_cast<double>(base.size()) +
                                                      1 / static_cast<double>(next.size())));
  // With one capture a side the variance is not known, and the error is 0.
  return less < kSignificantSlack * error ? 0 : std::max(0.0, less);
}

class Comparer {
 public:
  Comparer(Captures captures, size_t bases, Captures noise, Comparability comparability)
      : captures_(captures),
        bases_(bases),
        comparability_(std::move(comparability)),
        groups_(captures, bases),
        requests_(captures, bases),
        normalization_(NormalizationOf(captures)),
        pairs_(InterleavedPairs(captures, bases)),
        noise_(noise.size()),
        priors_(noise.size() < kConfirmed ? VariancePriors() : VariancePriors::Of(noise)) {
    groups_.MatchRenamed();
    in_scope_ = ScopeOf(groups_);
    out_of_scope_threads_ = OutOfScopeThreads(groups_, in_scope_);
    self_paced_ = SelfPacedOf(groups_, in_scope_);
  }

  DiffReport Run() {
    Describe();
    for (size_t g = 0; g < groups_.all().size(); ++g) {
      if (in_scope_[g]) AddGroup(g);
    }
    AddHandlers();
    AddCommand();
    AddRequests();
    Test();
    Decide();
    DecideBySettings();
    DecideAnswers();
    DecideByOthers();
    for (TestedUnit& unit : units_) SuppressSymptoms(report_.rows, unit.numbers, unit.facts);
    Attribution attribution(groups_, normalization_, in_scope_, report_.rows);
    attribution.Attribute();
    FindSlowerByOthers(attribution);
    AddLoad();
    AddOthers();
    AddSilence();
    auto& ranked = report_.confirmed ? report_.findings : report_.unconfirmed;
    ranked = RankOf(report_.rows);
    for (const ComparisonRow& row : report_.rows) {
      report_.undecided += row.verdict == Verdict::kCannotTell;
    }
    AddDetails(report_, groups_, requests_, in_scope_, normalization_);
    return std::move(report_);
  }

 private:
  void Describe() {
    report_.settings = FindSettingDifferences(groups_, in_scope_);
    report_.comparable = comparability_.ok;
    report_.notes = comparability_.notes;
    report_.paired = !pairs_.empty();
    report_.per_run = normalization_.per_run;
    if (normalization_.per_run) report_.seconds_per_run = normalization_.seconds.front();
    report_.confirmed = std::min(bases_, captures_.size() - bases_) >= kConfirmed;
    if (noise_ != 0) {
      report_.notes.push_back(fmt::format(
          "how much captures of one thing differ is taken from {} captures, not from what is usual",
          noise_));
    }
    for (const SharedGroup& group : groups_.all()) {
      if (!group.former_shown) continue;
      report_.notes.push_back(fmt::format(
          "{}/{} of the base is {}/{} of the new captures by what it does: taken as renamed",
          group.former_shown->process, group.former_shown->thread, group.shown.process,
          group.shown.thread));
    }
  }

  void AddUnit(TestedUnit unit, std::vector<StatisticSample> samples, measure::GroupName name) {
    scales_.Add(samples, name, bases_, pairs_, priors_);
    unit.samples = std::move(samples);
    unit.name = std::move(name);
    units_.push_back(std::move(unit));
  }

  void Test() {
    for (TestedUnit& unit : units_) {
      unit.tests = TestRows(unit.samples, unit.name, bases_, pairs_, priors_, scales_);
      unit.change.log_ratio = unit.tests.log_ratio;
      const double least = -std::log(kLeastChange);
      unit.facts.slowed =
          unit.change.of(Statistic::kWakeupRate) < least || unit.change.requests_log_ratio < least;
      for (ComparisonRow& row : unit.tests.rows) {
        row.group = unit.group;
        row.request = unit.request;
        unit.numbers.push_back(report_.rows.size());
        report_.rows.push_back(row);
      }
    }
  }

  // A rate of a group on each side, mean of the captures.
  struct SideRates {
    double base = 0;
    double next = 0;
    void Add(bool to_next, double amount) { (to_next ? next : base) += amount; }
    // With the floor of a statistic.
    double LogRatio(Statistic of) const {
      const double floor = InfoOf(of).floor;
      return std::log((next + floor) / (base + floor));
    }
  };

  void AddGroup(size_t number) {
    TestedUnit unit;
    unit.group = number;
    std::set<std::string> calls;
    AddChanges(number, unit, calls);
    AddUnit(std::move(unit), SamplesOf(number, calls), groups_.all()[number].name);
  }

  // CPU time of the groups of the command, or out of it, with that name of a process: ms per
  // second, new less base.
  double RunningOfProcess(const measure::GroupName& name) const {
    double change = 0;
    for (size_t g = 0; g < groups_.all().size(); ++g) {
      const measure::GroupName& other = groups_.all()[g].name;
      if (other.process == name.process && other.of_command == name.of_command) {
        change += RunningOf(g);
      }
    }
    return change;
  }
  double RunningOf(size_t number) const {
    double change = 0;
    for (size_t i = 0; i < captures_.size(); ++i) {
      const measure::Group* part = groups_.all()[number].In(captures_, i);
      if (part == nullptr) continue;
      const double side = static_cast<double>(i < bases_ ? bases_ : captures_.size() - bases_);
      change += (i < bases_ ? -1 : 1) * static_cast<double>(part->of(facts::Share::kRunning)) /
                (side * normalization_.seconds[i] * kNsPerMs);
    }
    return change;
  }

  // Sets GroupChange and SuppressionFacts, and collects the names of system calls.
  void AddChanges(size_t number, TestedUnit& unit, std::set<std::string>& calls) const {
    const SharedGroup& group = groups_.all()[number];
    size_t present[2] = {0, 0};
    SideRates requests;
    SideRates from_outside;
    SideRates timer_wakeups;
    SideRates answers;
    SideRates latency;
    SideRates preempted;
    SideRates busy;
    std::vector<double> runnable(captures_.size());
    std::vector<double> blocked(captures_.size());
    for (size_t i = 0; i < captures_.size(); ++i) {
      const measure::Group* part = group.In(captures_, i);
      if (part == nullptr) continue;
      const bool next = i >= bases_;
      ++present[next];
      const double weight = 1 / normalization_.seconds[i] /
                            static_cast<double>(next ? captures_.size() - bases_ : bases_);
      const double change = (next ? 1 : -1) * weight / 1e6;
      const auto woken_ns = static_cast<double>(part->of(facts::Share::kRunnableWakeup));
      const auto preempted_ns = static_cast<double>(part->of(facts::Share::kRunnablePreempted));
      latency.Add(next, weight * woken_ns / 1e6);
      preempted.Add(next, weight * preempted_ns / 1e6);
      unit.change.preemptions += change * 1e6 * static_cast<double>(part->switches_involuntary);
      busy.Add(next, BusyOf(*part) / SecondsOf(*captures_[i]) * weight * normalization_.seconds[i]);
      unit.facts.latency_after_blocked += change * static_cast<double>(part->after_blocked_ns);
      unit.facts.running += change * static_cast<double>(part->of(facts::Share::kRunning));
      runnable[i] = static_cast<double>(part->of(facts::Share::kRunnableWakeup) +
                                        part->of(facts::Share::kRunnablePreempted));
      blocked[i] = static_cast<double>(part->of(facts::Share::kBlocked));
      unit.facts.runnable += change * runnable[i];
      unit.facts.blocked += change * blocked[i];
      runnable[i] /= 1e6 * normalization_.seconds[i];
      blocked[i] /= 1e6 * normalization_.seconds[i];
      for (const auto& [other, blame] : part->of(measure::Attribution::kWokenBy)) {
        const double wakeups = weight * static_cast<double>(blame.count);
        if (other < captures_[i]->groups.size() && other != group.at[i]) {
          requests.Add(next, wakeups);
        }
        if (other != group.at[i]) from_outside.Add(next, wakeups);
        if (other == measure::kInterrupt) timer_wakeups.Add(next, wakeups);
      }
      answers.Add(next, weight * static_cast<double>(
                                     part->of(measure::Duration::kForAnswer).whole.count()));
      for (const auto& [call, times] : part->syscalls) calls.insert(call);
    }
    unit.change.busy = std::max(busy.base, busy.next);
    unit.change.waits_longer_preempted = preempted.next > preempted.base;
    unit.change.added = present[0] == 0;
    unit.change.removed = present[1] == 0;
    unit.change.requests_log_ratio = requests.LogRatio(Statistic::kWakeupRate);
    unit.change.from_outside_log_ratio = from_outside.LogRatio(Statistic::kWakeupRate);
    unit.change.answers_log_ratio = answers.LogRatio(Statistic::kWakeupRate);
    unit.change.timer_wakeups_log_ratio = timer_wakeups.LogRatio(Statistic::kWakeupRate);
    unit.change.running_beside = RunningOfProcess(group.name) - unit.facts.running;
    unit.facts.slack = SlackOf(runnable, bases_, pairs_) + SlackOf(blocked, bases_, pairs_);
    unit.facts.latency_log_ratio = latency.LogRatio(Statistic::kLatencyRunnable);
    unit.facts.preempted_log_ratio = preempted.LogRatio(Statistic::kLatencyRunnable);
  }

  // Whether threads of the group ever waited for a CPU for that reason.
  bool HasAny(const SharedGroup& group, Metric reason) const {
    for (size_t i = 0; i < captures_.size(); ++i) {
      const measure::Group* part = group.In(captures_, i);
      if (part == nullptr) continue;
      const uint64_t ns = reason == Metric::kAffinity ? part->affinity_ns
                          : reason == Metric::kWeight ? part->weight_ns
                                                      : part->rt_throttled_ns;
      if (ns != 0) return true;
    }
    return false;
  }

  // None on a side without the group: where it is new, its waits for others are theirs alone.
  std::vector<double> OutOfScopeThreadsBeside(const SharedGroup& group) const {
    std::vector<double> threads = out_of_scope_threads_;
    for (const auto& [begin, end] :
         {std::pair(size_t{0}, bases_), std::pair(bases_, threads.size())}) {
      bool present = false;
      for (size_t i = begin; i < end; ++i) present |= group.In(captures_, i) != nullptr;
      if (!present) std::fill(threads.begin() + begin, threads.begin() + end, 0);
    }
    return threads;
  }

  std::vector<StatisticSample> SamplesOf(size_t number, const std::set<std::string>& calls) const {
    const SharedGroup& group = groups_.all()[number];
    const SleepThresholds thresholds = SleepThresholdsOf(groups_, group, normalization_);
    const std::vector<uint64_t> wait_ns = OutOfScopeWaits(groups_, number, in_scope_);
    const std::vector<double> threads = OutOfScopeThreadsBeside(group);
    const OutOfScopeLoads out_of_scope{wait_ns, threads};
    // Two groups that no thread wakes may wait for each other over the network. Then neither sets
    // its own pace.
    const auto self_paced = std::count(self_paced_.begin(), self_paced_.end(), true);
    const bool may_wait_for_others = self_paced > (self_paced_[number] ? 1 : 0);
    std::vector<StatisticSample> samples;
    for (size_t s = 0; s < kStatistics; ++s) {
      const auto statistic = static_cast<Statistic>(s);
      const Metric metric = InfoOf(statistic).metric;
      if (metric == Metric::kIrqTime || metric == Metric::kSoftirqTime ||
          metric == Metric::kSyscallTime || metric >= Metric::kElapsed) {
        continue;
      }
      // Most groups never have one of these reasons, and a test of nothing costs others their
      // power.
      const bool has_reason = metric == Metric::kAffinity || metric == Metric::kWeight ||
                              metric == Metric::kRtThrottled;
      if (has_reason && !HasAny(group, metric)) continue;
      if (statistic == Statistic::kPauseRate && !comparability_.wait) continue;
      samples.push_back(
          {statistic, "",
           Observe(groups_, group, statistic, thresholds, normalization_, out_of_scope)});
      if (!may_wait_for_others) continue;
      for (auto& capture : samples.back().captures) {
        auto* sleeps = capture ? std::get_if<LongSleepDetail>(&capture->detail) : nullptr;
        if (sleeps != nullptr) sleeps->timer_sleeps = 0;
      }
    }
    if (!comparability_.syscall) return samples;
    for (const std::string& call : calls) {
      samples.push_back({Statistic::kSyscallRate, call,
                         ObserveSyscall(groups_, group, call, normalization_), calls.size()});
    }
    return samples;
  }

  void AddHandlers() {
    std::set<std::string> names;
    for (const Capture* capture : captures_) {
      for (const auto& [name, times] : capture->handlers) names.insert(name);
    }
    std::vector<StatisticSample> samples;
    for (const std::string& name : names) {
      const bool softirq = name.starts_with("softirq");
      if (!(softirq ? comparability_.softirq : comparability_.irq)) continue;
      samples.push_back({softirq ? Statistic::kSoftirqRate : Statistic::kIrqRate, name,
                         ObserveHandler(captures_, name, normalization_), names.size()});
    }
    if (!samples.empty()) AddUnit({}, std::move(samples), {});
  }

  void AddCommand() {
    const Observations elapsed = ObserveElapsed(captures_);
    if (std::all_of(elapsed.begin(), elapsed.end(), [](const auto& one) { return one; })) {
      AddUnit({}, {{Statistic::kElapsedTime, "", elapsed}}, {});
    }
  }

  void AddRequests() {
    for (const Capture* capture : captures_) {
      report_.requests_left_out += capture->requests_left_out;
    }
    for (const SharedRequest& request : requests_.all()) {
      TestedUnit unit;
      unit.request = report_.requests.size();
      report_.requests.push_back(ChangeOf(request, bases_));
      std::vector<StatisticSample> samples;
      for (const StatisticInfo& info : StatisticsOf(Metric::kRequest)) {
        Observations captures = ObserveRequests(request.times(), info.statistic, normalization_);
        const bool any = std::any_of(captures.begin(), captures.end(),
                                     [](const auto& one) { return one.has_value(); });
        if (any) samples.push_back({info.statistic, request.name, std::move(captures)});
      }
      if (!samples.empty()) AddUnit(std::move(unit), std::move(samples), {"", request.name});
    }
  }

  void AddLoad() {
    RowTests load =
        TestRows({{Statistic::kMachineLoad, "", ObserveLoad(captures_)}}, {}, bases_, {}, priors_);
    for (ComparisonRow& row : load.rows) {
      row.verdict = Verdict::kUnchanged;  // it is shown for information
      row.p = row.q = 1;
      report_.rows.push_back(std::move(row));
    }
  }

  // CPU time of groups out of scope. Where a group in scope is blocked longer, also the waits in D
  // that grew: such a group uses the same disk, or has what holds the other one back.
  void AddOthers() {
    const bool is_blocked =
        std::any_of(report_.rows.begin(), report_.rows.end(), [](const ComparisonRow& row) {
          return row.metric == Metric::kBlocked && IsFinding(row.verdict) && row.change > 0;
        });
    for (size_t g = 0; g < groups_.all().size(); ++g) {
      if (in_scope_[g] || groups_.all()[g].of_recorder) continue;
      AddOther(g, Statistic::kCpuRate, [](const ComparisonRow&) { return true; });
      if (!is_blocked) continue;
      AddOther(g, Statistic::kBlockedRate, [](const ComparisonRow& row) {
        return row.change > 0 && row.p <= kFalseDiscoveries;
      });
    }
    std::sort(report_.others.begin(), report_.others.end(),
              [](const ComparisonRow& a, const ComparisonRow& b) {
                return std::tuple(-std::abs(a.change), a.group, a.metric) <
                       std::tuple(-std::abs(b.change), b.group, b.metric);
              });
  }

  template <typename Wanted>
  void AddOther(size_t number, Statistic statistic, Wanted wanted) {
    const SharedGroup& group = groups_.all()[number];
    RowTests tests =
        TestRows({{statistic, "", Observe(groups_, group, statistic, {}, normalization_)}},
                 group.name, bases_, pairs_, priors_);
    for (ComparisonRow& row : tests.rows) {
      row.group = number;
      if (std::abs(row.change) < InfoOf(statistic).gate || !wanted(row)) continue;
      row.verdict = Verdict::kCannotTell;
      report_.others.push_back(std::move(row));
    }
  }

  // Waits for a CPU that became longer because of groups out of scope, by Benjamini and Hochberg.
  void DecideByOthers() {
    std::vector<double> p;
    std::vector<std::pair<size_t, const ComparisonRow*>> found;
    for (const TestedUnit& unit : units_) {
      for (const ComparisonRow& row : unit.tests.by_others) {
        if (!unit.group) continue;
        p.push_back(row.p);
        found.emplace_back(*unit.group, &row);
      }
    }
    const std::vector<double> rates = FalseDiscoveryRates(p);
    for (size_t i = 0; i < found.size(); ++i) {
      if (!report_.confirmed || rates[i] > kFalseDiscoveries) continue;
      ComparisonRow row = *found[i].second;
      row.group = found[i].first;
      row.q = rates[i];
      row.others = OthersOf(*row.group);
      report_.slower_by_others.push_back(std::move(row));
    }
  }

  // The groups out of scope that had the CPU while a group waited for it, by change.
  std::vector<CauseLink> OthersOf(size_t number) const {
    std::map<size_t, double> changes;
    for (size_t i = 0; i < captures_.size(); ++i) {
      const measure::Group* part = groups_.all()[number].In(captures_, i);
      if (part == nullptr) continue;
      const double side = static_cast<double>(i < bases_ ? bases_ : captures_.size() - bases_);
      const double weight = (i < bases_ ? -1 : 1) / (side * normalization_.seconds[i] * kNsPerMs);
      for (const auto& [other, blame] : part->of(measure::Attribution::kHeldCpu)) {
        if (other >= captures_[i]->groups.size()) continue;
        const size_t group = groups_.Of(i, other);
        if (!in_scope_[group]) changes[group] += weight * static_cast<double>(blame.ns);
      }
    }
    std::vector<CauseLink> links;
    for (const auto& [group, change] : changes) {
      if (change <= 0) continue;
      links.push_back({CauseLink::Kind::kHeldCpu, group, change, Metric::kCpuTime});
    }
    std::sort(links.begin(), links.end(),
              [](const CauseLink& a, const CauseLink& b) { return a.change > b.change; });
    return links;
  }

  // Longer waits for threads that waited for a CPU because of others, and a longer run of the
  // command because of these, are no findings.
  void FindSlowerByOthers(const Attribution& attribution) {
    std::vector<double> by_others(groups_.all().size());
    for (size_t g = 0; g < by_others.size(); ++g) {
      if (!in_scope_[g]) continue;
      for (const CauseLink& link : OthersOf(g)) by_others[g] += link.change;
    }
    auto& slower = report_.slower_by_others;
    std::vector<bool> is_slower(groups_.all().size());
    double most = 0;
    for (const ComparisonRow& row : slower) {
      is_slower[*row.group] = true;
      most = std::max(most, row.change);
    }
    const auto move = [&](ComparisonRow& row, std::vector<CauseLink> others) {
      ComparisonRow moved = row;
      moved.verdict = Verdict::kOthers;
      moved.others = std::move(others);
      slower.push_back(std::move(moved));
      row.verdict = Verdict::kUnchanged;
      row.suppression_rule = "slower_because_of_others";
    };
    for (ComparisonRow& row : report_.rows) {
      if (row.request && (row.verdict == Verdict::kWorse || row.verdict == Verdict::kBetter)) {
        std::vector<CauseLink> others = HoldersOutOfScope(row);
        if (others.empty()) continue;
        if (row.verdict == Verdict::kWorse) {
          move(row, std::move(others));
        } else {
          row.verdict = Verdict::kUnchanged;
          row.suppression_rule = "faster_without_others";
        }
        continue;
      }
      if (slower.empty() || row.suppressed_by) continue;
      // It does less because it waits.
      if ((row.verdict == Verdict::kLess || row.verdict == Verdict::kBetter) && row.group &&
          is_slower[*row.group]) {
        row.verdict = Verdict::kUnchanged;
        row.suppression_rule = "slower_because_of_others";
      }
      if (row.verdict != Verdict::kWorse) continue;
      if (row.metric == Metric::kElapsed) {
        if (most >= row.change * kExplained) move(row, slower.front().others);
        continue;
      }
      if (row.metric != Metric::kSleep || !row.group) continue;
      double explained = 0;
      size_t whom = *row.group;
      for (const size_t group : attribution.WaitedForBy(*row.group)) {
        if (!is_slower[group]) continue;
        explained += by_others[group];
        if (by_others[group] > by_others[whom] || whom == *row.group) whom = group;
      }
      if (explained >= row.change * kExplained) move(row, OthersOf(whom));
    }
    std::stable_sort(slower.begin(), slower.end(), [](const auto& a, const auto& b) {
      return std::pair(!a.group.has_value(), -a.change) <
             std::pair(!b.group.has_value(), -b.change);
    });
  }

  // The groups out of scope that had the CPU while requests waited for it, if that explains the
  // change of the row, and the rest of the requests does not. ms of a request.
  std::vector<CauseLink> HoldersOutOfScope(const ComparisonRow& row) const {
    const RequestChange& request = report_.requests[*row.request];
    const double direction = row.change > 0 ? 1 : -1;
    std::vector<CauseLink> links;
    double explained = 0;
    double by_itself = 0;
    for (const PartChange& each : request.parts) {
      std::optional<size_t> holder;
      bool is_judged = false;
      for (size_t g = 0; g < groups_.all().size(); ++g) {
        if (each.part.kind != path::PartKind::kRunnable ||
            groups_.all()[g].name.thread != each.part.waited_for) {
          continue;
        }
        is_judged = is_judged || in_scope_[g];
        holder = g;
      }
      const bool by_others = holder && !is_judged;
      (by_others ? explained : by_itself) += each.change() * direction;
      if (by_others && each.change() * direction > 0) {
        links.push_back({CauseLink::Kind::kHeldCpu, holder, each.change(), Metric::kRequest});
      }
    }
    // Parts are means. Where others delay some of the requests, a median is that of the rest.
    const double of_row = (row.next.value - row.base.value) * direction / kUsPerMs;
    if (explained < request.change() * direction * kExplained || by_itself >= of_row * kExplained) {
      return {};
    }
    return links;
  }

  // Captures a side that would decide the row if they differ as these do.
  size_t CapturesToDecide(const ComparisonRow& row) const {
    const auto side = static_cast<double>(std::min(bases_, captures_.size() - bases_));
    // The width of an interval falls with the square root of the number of captures.
    const double half = std::log(row.ratio.high / row.ratio.low) / 2;
    const double size = std::abs(std::log(row.ratio.value));
    const double effect = std::log(kLeastChange);
    double narrower = half / std::abs(size - effect);
    if (size > effect && row.p < 1) {
      // The p that makes it a finding is smaller by as much as its q has to be.
      const double needed = row.p * kFalseDiscoveries / std::max(row.q, kFalseDiscoveries);
      const boost::math::normal_distribution<double> normal;
      narrower =
          boost::math::quantile(normal, needed / 2) / boost::math::quantile(normal, row.p / 2);
    }
    return static_cast<size_t>(std::min(1e6, std::ceil(side * narrower * narrower)));
  }

  // What the report says nothing about: groups that the command exchanges wakeups with and that are
  // not judged, and differences that are too noisy.
  void AddSilence() {
    report_.judged = static_cast<size_t>(std::count(in_scope_.begin(), in_scope_.end(), true));
    std::map<size_t, double> wakeups;
    for (size_t i = 0; i < captures_.size(); ++i) {
      const double weight = 1 / (normalization_.seconds[i] * static_cast<double>(captures_.size()));
      for (size_t at = 0; at < captures_[i]->groups.size(); ++at) {
        const size_t woken = groups_.Of(i, static_cast<uint32_t>(at));
        for (const auto& [other, blame] :
             captures_[i]->groups[at].of(measure::Attribution::kWokenBy)) {
          if (other >= captures_[i]->groups.size()) continue;
          const size_t waker = groups_.Of(i, other);
          if (in_scope_[woken] == in_scope_[waker]) continue;
          const size_t unjudged = in_scope_[woken] ? waker : woken;
          if (groups_.all()[unjudged].of_recorder) continue;
          wakeups[unjudged] += weight * static_cast<double>(blame.count);
        }
      }
    }
    for (const auto& [group, count] : wakeups) {
      if (count >= InfoOf(Statistic::kWakeupRate).floor) {
        report_.partners.push_back({group, count});
      }
    }
    std::sort(report_.partners.begin(), report_.partners.end(),
              [](const auto& a, const auto& b) { return a.wakeups > b.wakeups; });
    for (size_t number = 0; number < report_.rows.size(); ++number) {
      const ComparisonRow& row = report_.rows[number];
      if (row.verdict != Verdict::kCannotTell || IsPart(row.metric)) continue;
      if (row.change < InfoOf(row.statistic).gate || row.ratio.low <= 0) continue;
      report_.too_noisy.push_back({number, CapturesToDecide(row)});
    }
    std::stable_sort(report_.too_noisy.begin(), report_.too_noisy.end(),
                     [&](const auto& a, const auto& b) {
                       return report_.rows[a.row].change > report_.rows[b.row].change;
                     });
  }

  // Finds groups that changed by Benjamini and Hochberg, and their rows that changed by the same at
  // a rate that allows for the selection (Benjamini and Bogomolov).
  void Decide() {
    const double rate =
        report_.confirmed ? kFalseDiscoveries : kUnconfirmedRate * kFalseDiscoveries;
    std::vector<double> p;
    std::vector<size_t> tested;
    for (size_t u = 0; u < units_.size(); ++u) {
      const bool any = std::any_of(units_[u].tests.rows.begin(), units_[u].tests.rows.end(),
                                   [](const ComparisonRow& row) { return row.p < 1; });
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
        ComparisonRow& row = report_.rows[unit.numbers[i]];
        row.q = std::min(1.0, std::max(rates[t], row_rates[i] * chosen));
        if (row.q <= rate) Judge(row, unit.change);
      }
    }
  }

  // A setting that differs says beforehand which rows may change: these have a rate of their own,
  // by Benjamini and Hochberg.
  void DecideBySettings() {
    if (!report_.confirmed) return;
    std::vector<double> p;
    std::vector<std::pair<ComparisonRow*, const TestedUnit*>> expected;
    for (const TestedUnit& unit : units_) {
      if (!unit.group) continue;
      const measure::GroupName& name = groups_.all()[*unit.group].name;
      for (const size_t number : unit.numbers) {
        ComparisonRow& row = report_.rows[number];
        const bool is_expected = std::any_of(report_.settings.begin(), report_.settings.end(),
                                             [&](const SettingDifference& setting) {
                                               return ActsOnMetric(setting, row.metric, name);
                                             });
        if (!is_expected || IsPart(row.metric) || row.p >= 1) continue;
        p.push_back(row.p);
        expected.emplace_back(&row, &unit);
      }
    }
    const std::vector<double> rates = FalseDiscoveryRates(p);
    for (size_t i = 0; i < expected.size(); ++i) {
      auto& [row, unit] = expected[i];
      if (rates[i] > kFalseDiscoveries || rates[i] >= row->q) continue;
      row->q = rates[i];
      Judge(*row, unit->change);
    }
  }

  // Whether answers come later: what a program is for is one question, and not one of the many
  // about its sleep. A rate of their own, by Benjamini and Hochberg.
  void DecideAnswers() {
    if (!report_.confirmed) return;
    std::vector<double> p;
    std::vector<const TestedUnit*> asked;
    for (const TestedUnit& unit : units_) {
      if (!unit.group || !unit.tests.answers) continue;
      p.push_back(unit.tests.answers->p);
      asked.push_back(&unit);
    }
    const std::vector<double> rates = FalseDiscoveryRates(p);
    for (size_t i = 0; i < asked.size(); ++i) {
      if (rates[i] > kFalseDiscoveries) continue;
      for (const size_t number : asked[i]->numbers) {
        ComparisonRow& row = report_.rows[number];
        if (row.metric != Metric::kSleep || row.verdict == Verdict::kWorse) continue;
        if (asked[i]->tests.answers->change <= 0) continue;
        row = *asked[i]->tests.answers;
        row.group = asked[i]->group;
        row.q = rates[i];
        Judge(row, asked[i]->change);
      }
    }
  }

  Captures captures_;
  size_t bases_;
  Comparability comparability_;
  Groups groups_;
  SharedRequests requests_;
  Normalization normalization_;
  Pairs pairs_;
  size_t noise_;  // captures that the priors are estimated from
  VariancePriors priors_;
  NoiseScales scales_;
  std::vector<bool> in_scope_;  // by position of the group
  std::vector<double> out_of_scope_threads_;
  std::vector<bool> self_paced_;
  std::vector<TestedUnit> units_;
  DiffReport report_;
};

// Finds the disturbed captures. Leaves them out of `captures`, the first `bases` of which are the
// base, if enough others remain on both sides.
std::vector<DisturbedCapture> LeaveOutDisturbed(std::vector<const Capture*>& captures,
                                                size_t& bases) {
  const Groups groups(captures, bases);
  const std::vector<Disturbance> found = DisturbedCaptures(groups, ScopeOf(groups));
  std::vector<DisturbedCapture> disturbed;
  std::set<size_t> positions;
  size_t of_base = 0;
  for (const Disturbance& one : found) {
    std::string by;
    if (one.group) {
      const measure::GroupName& name = groups.all()[*one.group].name;
      by = name.process == name.thread ? name.process : name.process + "/" + name.thread;
    }
    disturbed.push_back({captures[one.capture]->file, one.capture >= bases, one.share, one.usual,
                         std::move(by), false});
    positions.insert(one.capture);
    of_base += one.capture < bases;
  }
  const size_t of_next = found.size() - of_base;
  if (bases - of_base < kConfirmed || captures.size() - bases - of_next < kConfirmed) {
    return disturbed;
  }
  std::vector<const Capture*> rest;
  for (size_t i = 0; i < captures.size(); ++i) {
    if (!positions.contains(i)) rest.push_back(captures[i]);
  }
  captures = std::move(rest);
  bases -= of_base;
  for (DisturbedCapture& one : disturbed) one.left_out = true;
  return disturbed;
}

}  // namespace

util::Result<DiffReport> Compare(DiffInput input) {
  SortByTime(input.base);
  SortByTime(input.next);
  std::vector<Capture*> all;
  for (Capture& capture : input.base) all.push_back(&capture);
  for (Capture& capture : input.next) all.push_back(&capture);
  std::vector<const Capture*> captures(all.begin(), all.end());
  std::vector<const Capture*> noise;
  for (const Capture& capture : input.noise) noise.push_back(&capture);
  size_t bases = input.base.size();
  auto comparability = CheckComparability(captures, bases);
  if (!comparability) return comparability.TakeError();
  DecidePurposes(all, bases);
  for (Capture* capture : all) LeaveOutWaitsForWork(*capture);
  for (Capture& capture : input.noise) LeaveOutWaitsForWork(capture);
  std::vector<DisturbedCapture> disturbed = LeaveOutDisturbed(captures, bases);
  auto report = Comparer(captures, bases, noise, std::move(*comparability)).Run();
  report.disturbed = std::move(disturbed);
  return report;
}

}  // namespace comparison
