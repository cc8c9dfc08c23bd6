// SPDX-License-Identifier: BSD-2-Clause
#include "compare/attribution.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>

#include "compare/change_rules.h"
#include "compare/values/metric.h"
#include "schema/wait_object.h"

namespace comparison {
namespace {

// Links of a chain of causes.
constexpr size_t kLongestChain = 5;

bool IsWorse(const ComparisonRow& row) {
  return (row.verdict == Verdict::kWorse || row.verdict == Verdict::kNew) && !row.suppressed_by;
}

bool IsSleep(Metric metric) { return metric == Metric::kSleep || metric == Metric::kBlocked; }

bool IsForCpu(Metric metric) {
  return metric == Metric::kWakeupLatency || metric == Metric::kPreemptedWait ||
         metric == Metric::kInversion || metric == Metric::kUnconserved ||
         metric == Metric::kAffinity || metric == Metric::kWeight;
}

bool IsLongerSleep(const ComparisonRow& row) {
  return row.metric == Metric::kSleep && row.change > 0;
}

bool IsBad(const ComparisonRow& row) {
  return row.verdict == Verdict::kWorse || row.verdict == Verdict::kNew;
}

// The first cause of a row, and the number of steps to it. A cycle ends at the row itself.
std::pair<size_t, size_t> RootOf(const std::vector<ComparisonRow>& rows, size_t number) {
  size_t steps = 0;
  size_t at = number;
  while (rows[at].caused_by && steps < rows.size()) {
    at = *rows[at].caused_by;
    ++steps;
    if (at == number) return {number, 0};
  }
  if (steps == rows.size()) return {number, 0};
  return {at, steps};
}

double BusyNs(const measure::Group& group) {
  return static_cast<double>(
      group.of(facts::Share::kRunning) + group.of(facts::Share::kRunnableWakeup) +
      group.of(facts::Share::kRunnablePreempted) + group.of(facts::Share::kBlocked));
}

}  // namespace

std::span<const CrossGroupRule> Attribution::Rules() {
  static constexpr CrossGroupRule kRules[] = {
      {"wait_for_work_of_holder",
       "A wait for a CPU is a symptom of the work that held it: more work of the same kind, or "
       "work that a change made cheaper.",
       kExplained, &Attribution::SuppressWaitForWork},
      {"wait_of_greater_need",
       "A group that runs more waits longer for CPUs that groups out of scope have: on a busy "
       "machine by more times than it runs more.",
       kNamed, &Attribution::SuppressWaitOfGreaterNeed},
      {"fewer_threads_at_once",
       "A program waits less for a CPU where fewer of its threads want one at a time: its own "
       "threads have it less, it runs on fewer CPUs at a time, or it has fewer threads. It is not "
       "better off: its work takes as long, or longer.",
       kExplained, &Attribution::DropShorterWaitOfFewerThreads},
      {"sleep_for_more_work",
       "A group sleeps longer in sum while another one does more work for it. Its single answers, "
       "where they take longer, are a row of their own.",
       kExplained, &Attribution::SuppressSleepForMoreWork},
      {"exit_of_busier_child",
       "A child that does more work exits later, by as large a part of what it does more.",
       kExplained, &Attribution::SuppressExitOfBusierChild},
      {"sleep_for_own_threads",
       "Threads of a group that sleep until another one wakes them wait for its longer run.",
       kExplained, &Attribution::SuppressSleepForOwnThreads},
      {"sleep_after_faster_service",
       "A group that sleeps by its own timer sleeps longer where the groups that it waits for are "
       "done sooner.",
       kExplained, &Attribution::DropSleepAfterFasterService},
      {"idle_server",
       "A server outside of the recorded command sleeps until the command sends its next request.",
       kExplained, &Attribution::DropSleepOfIdleServer},
  };
  return kRules;
}

// The change of what a group spent because of others, ms per second.
class Attribution::ShareSums {
 public:
  ShareSums(const Groups& groups, const Normalization& normalization)
      : groups_(groups), normalization_(normalization) {}

  // Of `group`; times in D for kBlocked, else without them if it slept. `scale`: times that of the
  // base.
  void Add(size_t group, measure::Attribution why, CauseLink::Kind kind, Metric metric,
           double scale = 1) {
    const Captures captures = groups_.captures();
    const double bases = static_cast<double>(groups_.bases());
    const double nexts = static_cast<double>(captures.size()) - bases;
    for (size_t i = 0; i < captures.size(); ++i) {
      const measure::Group* part = groups_.all()[group].In(captures, i);
      if (part == nullptr) continue;
      const double per = i < groups_.bases() ? -scale / bases : 1 / nexts;
      for (const auto& [other, blame] : part->of(why)) {
        uint64_t ns = metric == Metric::kBlocked ? blame.blocked_ns : blame.ns;
        if (metric == Metric::kSleep) ns = blame.ns - std::min(blame.ns, blame.blocked_ns);
        std::optional<size_t> whom;
        if (other < captures[i]->groups.size()) {
          whom = groups_.Of(i, other);
        } else if (other != measure::kInterrupt) {
          continue;
        }
        sums_[{whom, whom ? kind : CauseLink::Kind::kInterrupt}] +=
            per * static_cast<double>(ns) / kNsPerMs / normalization_.seconds[i];
      }
    }
  }

  // The largest in the direction of `sign` first.
  std::vector<Share> Sorted(double sign) const {
    std::vector<Share> shares;
    for (const auto& [key, change] : sums_) shares.push_back({key.first, change, key.second});
    std::sort(shares.begin(), shares.end(), [&](const Share& a, const Share& b) {
      return sign > 0 ? a.change > b.change : a.change < b.change;
    });
    return shares;
  }

 private:
  const Groups& groups_;
  const Normalization& normalization_;
  std::map<std::pair<std::optional<size_t>, CauseLink::Kind>, double> sums_;
};

std::vector<Attribution::Share> Attribution::SharesOf(const ComparisonRow& row) const {
  using measure::Attribution;
  if (IsAnswers(row.statistic)) {
    // As many answers as the new captures have.
    const auto [before, after] = RatesOf(*row.group, [](const measure::Group& group) {
      return static_cast<double>(group.of(measure::Duration::kForAnswer).whole.count());
    });
    return AnswersOf(*row.group, before > 0 ? after / before : 1);
  }
  ShareSums sums(groups_, normalization_);
  if (row.statistic == Statistic::kLockRate) {
    sums.Add(*row.group, Attribution::kLetGoBy, CauseLink::Kind::kLetGoBy, row.metric);
  } else if (IsSleep(row.metric)) {
    sums.Add(*row.group, Attribution::kWokenBy, CauseLink::Kind::kWokenBy, row.metric);
  } else if (row.metric == Metric::kInversion) {
    sums.Add(*row.group, Attribution::kHeldCpuLower, CauseLink::Kind::kInversion, row.metric);
  } else if (IsForCpu(row.metric)) {
    sums.Add(*row.group, Attribution::kHeldCpu, CauseLink::Kind::kHeldCpu, row.metric);
  }
  return sums.Sorted(row.change);
}

std::vector<Attribution::Share> Attribution::AnswersOf(size_t group, double scale) const {
  ShareSums sums(groups_, normalization_);
  sums.Add(group, measure::Attribution::kAnsweredBy, CauseLink::Kind::kWokenBy, Metric::kSleep,
           scale);
  return sums.Sorted(1);
}

std::optional<size_t> Attribution::CauseIn(size_t group, const ComparisonRow& row, double change,
                                           std::vector<CauseLink>& links) const {
  const bool own = group == *row.group;
  // Threads that hold a CPU, or a lock, of the same group are the group itself.
  if (own && !WaitsForItself(row)) return std::nullopt;
  const auto finding = own ? LargestLeafOf(row) : LargestOf(group, IsForCpu(row.metric));
  if (!IsSleep(row.metric)) return finding;
  std::vector<CauseLink> answers;
  std::set<size_t> passed;
  if (!own) passed.insert(*row.group);
  const auto further = FollowAnswers(group, change * kNamed, passed, answers);
  // It hands on most of its wait, and does nothing else longer for as much time.
  const bool hands_on = !answers.empty() && answers.front().change >= change * kExplained;
  if (finding && (!hands_on || rows_[*finding].change >= answers.front().change)) return finding;
  if (finding && IsSleep(rows_[*finding].metric)) {
    // It is this wait.
    const auto shares = SharesOf(rows_[*finding]);
    if (!shares.empty() && shares[0].group == answers.front().group) return finding;
  }
  links.insert(links.end(), answers.begin(), answers.end());
  // What is small beside the wait is a part of it, and no more.
  const bool explains = further && rows_[*further].change >= answers.back().change * kNamed;
  return explains ? further : std::nullopt;
}

std::optional<size_t> Attribution::FollowAnswers(size_t group, double least,
                                                 std::set<size_t> passed,
                                                 std::vector<CauseLink>& links) const {
  while (links.size() < kLongestChain && passed.insert(group).second) {
    const auto shares = AnswersOf(group, 1);
    const auto share = std::find_if(shares.begin(), shares.end(), [&](const Share& each) {
      return each.group && *each.group != group;
    });
    if (share == shares.end() || share->change < least || passed.contains(*share->group)) break;
    group = *share->group;
    links.push_back({CauseLink::Kind::kAnsweredBy, group, share->change, Metric::kSleep});
    if (const auto finding = LargestOf(group, false)) return finding;
  }
  return std::nullopt;
}

std::optional<size_t> Attribution::LargestOf(size_t group, bool of_holder) const {
  std::optional<size_t> best;
  for (size_t number = 0; number < rows_.size(); ++number) {
    const ComparisonRow& row = rows_[number];
    const bool more = of_holder && row.metric == Metric::kCpuTime && row.verdict == Verdict::kMore;
    if (row.group != group || !(more || IsWorse(row))) continue;
    if (!best || row.change > rows_[*best].change) best = number;
  }
  // A wait of the group's threads for each other is not a cause. Names the thread that they wait
  // for instead.
  return best && WaitsForItself(rows_[*best]) ? LargestLeafOf(rows_[*best]).value_or(*best) : best;
}

bool Attribution::WaitsForItself(const ComparisonRow& row) const {
  if (!IsLongerSleep(row) || row.statistic == Statistic::kLockRate) return false;
  const auto shares = SharesOf(row);
  return !shares.empty() && shares[0].group == row.group;
}

std::optional<size_t> Attribution::LargestLeafOf(const ComparisonRow& row) const {
  std::optional<size_t> best;
  for (size_t number = 0; number < rows_.size(); ++number) {
    const ComparisonRow& leaf = rows_[number];
    const bool ends_there = leaf.metric == Metric::kBlocked || leaf.metric == Metric::kCpuTime ||
                            leaf.metric == Metric::kThrottled || leaf.metric == Metric::kWakeups;
    const bool grew = IsWorse(leaf) || (leaf.verdict == Verdict::kMore && !leaf.suppressed_by);
    if (leaf.group != row.group || !ends_there || !grew) continue;
    if (leaf.change < row.change * kLeastPart) continue;
    const auto rank = [&](size_t at) { return std::pair(IsWorse(rows_[at]), rows_[at].change); };
    if (!best || rank(number) > rank(*best)) best = number;
  }
  return best;
}

std::optional<size_t> Attribution::HolderOf(const ComparisonRow& row, double part) const {
  std::optional<size_t> best;
  double best_share = 0;
  double sum = 0;
  for (const Share& share : SharesOf(row)) {
    if (!share.group || share.change * row.change <= 0) continue;
    for (size_t number = 0; number < rows_.size(); ++number) {
      const ComparisonRow& cpu = rows_[number];
      if (cpu.group != share.group || cpu.metric != Metric::kCpuTime || cpu.suppressed_by) continue;
      if (!IsFinding(cpu.verdict) || cpu.change * row.change <= 0) continue;
      sum += share.change;
      if (!best || share.change / best_share > 1) {
        best = number;
        best_share = share.change;
      }
    }
  }
  return sum / row.change >= part ? best : std::nullopt;
}

template <typename Amount>
std::pair<double, double> Attribution::RatesOf(size_t group, Amount amount) const {
  const Captures captures = groups_.captures();
  const double bases = static_cast<double>(groups_.bases());
  const double nexts = static_cast<double>(captures.size()) - bases;
  std::pair<double, double> rates;
  for (size_t i = 0; i < captures.size(); ++i) {
    const measure::Group* part = groups_.all()[group].In(captures, i);
    if (part == nullptr) continue;
    const bool base = i < groups_.bases();
    (base ? rates.first : rates.second) +=
        amount(*part) / normalization_.seconds[i] / (base ? bases : nexts);
  }
  return rates;
}

void Attribution::Suppress(size_t number, size_t by, const CrossGroupRule& rule) {
  rows_[number].suppressed_by = by;
  rows_[number].suppression_rule = rule.name;
  for (ComparisonRow& other : rows_) {
    if (other.suppressed_by == number) other.suppressed_by = by;
  }
}

void Attribution::SuppressWaitForWork(size_t number, const CrossGroupRule& rule) {
  ComparisonRow& row = rows_[number];
  if (!IsForCpu(row.metric)) return;
  const auto holder = HolderOf(row, rule.part);
  if (!holder || *holder == number) return;
  const Verdict verdict = rows_[*holder].verdict;
  if (verdict != Verdict::kMore && verdict != Verdict::kLess && verdict != Verdict::kBetter) return;
  Suppress(number, *holder, rule);
}

void Attribution::SuppressWaitOfGreaterNeed(size_t number, const CrossGroupRule& rule) {
  ComparisonRow& row = rows_[number];
  if (row.verdict != Verdict::kWorse || !IsForCpu(row.metric)) return;
  double others = 0;
  double all = 0;
  for (const Share& share : SharesOf(row)) {
    if (!share.group || share.change <= 0) continue;
    all += share.change;
    if (!in_scope_[*share.group]) others += share.change;
  }
  if (others < all * kExplained) return;
  for (size_t other = 0; other < rows_.size(); ++other) {
    const ComparisonRow& cpu = rows_[other];
    const bool is_need = cpu.group == row.group && cpu.metric == Metric::kCpuTime &&
                         IsFinding(cpu.verdict) && !cpu.suppressed_by && cpu.change > 0;
    if (!is_need || std::log(cpu.ratio.value) < std::log(row.ratio.value) * rule.part) continue;
    Suppress(number, other, rule);
    return;
  }
}

double Attribution::LogRatioOfCpusAtOnce(size_t group) const {
  const Captures captures = groups_.captures();
  double cpus[2] = {0, 0};
  for (size_t i = 0; i < captures.size(); ++i) {
    const measure::Group* part = groups_.all()[group].In(captures, i);
    if (part == nullptr || captures[i]->length() == 0) continue;
    const bool next = i >= groups_.bases();
    const size_t side = next ? captures.size() - groups_.bases() : groups_.bases();
    cpus[next] += static_cast<double>(part->of(facts::Share::kRunning)) /
                  static_cast<double>(captures[i]->length() * side);
  }
  return cpus[0] > 0 && cpus[1] > 0 ? std::log(cpus[1] / cpus[0]) : 0;
}

double Attribution::LogRatioOfThreads(size_t group) const {
  const auto [base, next] =
      RatesOf(group, [](const measure::Group& part) { return static_cast<double>(part.threads); });
  return base > 0 && next > 0 ? std::log(next / base) : 0;
}

void Attribution::DropShorterWaitOfFewerThreads(size_t number, const CrossGroupRule& rule) {
  ComparisonRow& row = rows_[number];
  if (row.verdict != Verdict::kBetter || !IsForCpu(row.metric)) return;
  const std::string& process = groups_.all()[*row.group].name.process;
  double own = 0;
  for (const Share& share : SharesOf(row)) {
    if (share.group && groups_.all()[*share.group].name.process == process) own += share.change;
  }
  const bool has_fewer = std::min(LogRatioOfCpusAtOnce(*row.group), LogRatioOfThreads(*row.group)) <
                         -std::log(kLeastChange);
  if (own > row.change * rule.part && !has_fewer) return;
  row.verdict = Verdict::kUnchanged;
  row.suppression_rule = rule.name;
}

void Attribution::SuppressSleepForMoreWork(size_t number, const CrossGroupRule& rule) {
  const ComparisonRow& row = rows_[number];
  if (row.verdict != Verdict::kWorse || !IsExcess(row.statistic) || row.change <= 0) return;
  const auto shares = SharesOf(row);
  if (shares.empty() || !shares[0].group || *shares[0].group == *row.group) return;
  const double least = row.change * rule.part;
  if (shares[0].change < least) return;
  for (size_t other = 0; other < rows_.size(); ++other) {
    const ComparisonRow& cpu = rows_[other];
    if (cpu.group == shares[0].group && cpu.metric == Metric::kCpuTime &&
        cpu.verdict == Verdict::kMore && !cpu.suppressed_by && cpu.change >= least) {
      return Suppress(number, other, rule);
    }
  }
}

bool Attribution::WaitsForChildren(size_t group) const {
  uint64_t all = 0;
  uint64_t for_children = 0;
  for (size_t i = groups_.bases(); i < groups_.captures().size(); ++i) {
    const measure::Group* part = groups_.all()[group].In(groups_.captures(), i);
    if (part == nullptr) continue;
    for (const auto& [object, blame] : part->waited_objects) {
      const bool is_child = object.kind == schema::wait_kind::kChild;
      if (is_child || object.waits_for == facts::WaitsFor::kAnswer) all += blame.ns;
      if (is_child) for_children += blame.ns;
    }
  }
  return all != 0 && static_cast<double>(for_children) >= static_cast<double>(all) * kExplained;
}

void Attribution::SuppressExitOfBusierChild(size_t number, const CrossGroupRule& rule) {
  const ComparisonRow& row = rows_[number];
  if (!IsLongerSleep(row) || !IsAnswers(row.statistic) || !WaitsForChildren(*row.group)) return;
  const auto shares = SharesOf(row);
  if (shares.empty() || !shares[0].group || shares[0].group == row.group) return;
  std::optional<size_t> more;
  for (size_t other = 0; other < rows_.size(); ++other) {
    const ComparisonRow& of_child = rows_[other];
    if (of_child.group != shares[0].group || of_child.suppressed_by) continue;
    if (IsBad(of_child)) return;
    if (of_child.verdict == Verdict::kMore &&
        std::log(of_child.ratio.value) >= std::log(row.ratio.value) * rule.part) {
      more = other;
    }
  }
  if (more) Suppress(number, *more, rule);
}

void Attribution::SuppressSleepForOwnThreads(size_t number, const CrossGroupRule& rule) {
  ComparisonRow& row = rows_[number];
  if (!IsLongerSleep(row)) return;
  double own = 0;
  for (const Share& share : SharesOf(row)) {
    if (share.group == row.group) own += share.change;
  }
  if (own < row.change * rule.part) return;
  for (size_t other = 0; other < rows_.size(); ++other) {
    const ComparisonRow& cpu = rows_[other];
    if (cpu.group == row.group && cpu.metric == Metric::kCpuTime && IsWorse(cpu) &&
        cpu.change >= row.change * kNamed) {
      row.suppressed_by = other;
      row.suppression_rule = rule.name;
    }
  }
}

void Attribution::DropSleepAfterFasterService(size_t number, const CrossGroupRule& rule) {
  ComparisonRow& row = rows_[number];
  if (row.verdict != Verdict::kWorse || !IsLongerSleep(row)) return;
  const auto [wakeups_before, wakeups_after] = RatesOf(
      *row.group, [](const measure::Group& group) { return static_cast<double>(group.wakeups); });
  if (wakeups_after * kLeastChange < wakeups_before) return;
  double by_timer = 0;
  double sooner = 0;
  double less_busy = 0;
  for (const Share& share : SharesOf(row)) {
    if (!share.group) {
      by_timer += share.change;
    } else if (*share.group != *row.group && share.change < 0) {
      const auto [before, after] = RatesOf(*share.group, BusyNs);
      const double busy = (after - before) / kNsPerMs;
      if (busy >= 0) continue;
      sooner -= share.change;
      less_busy -= busy;
    }
  }
  const double least = row.change * rule.part;
  if (by_timer < least || sooner < least || less_busy < least) return;
  row.verdict = Verdict::kUnchanged;
  row.suppression_rule = rule.name;
}

void Attribution::DropSleepOfIdleServer(size_t number, const CrossGroupRule& rule) {
  ComparisonRow& row = rows_[number];
  if (row.verdict != Verdict::kWorse || !IsLongerSleep(row)) return;
  if (groups_.all()[*row.group].name.of_command) return;
  double until_request = 0;
  for (const Share& share : SharesOf(row)) {
    if (share.group && groups_.all()[*share.group].name.of_command) until_request += share.change;
  }
  if (until_request < row.change * rule.part) return;
  row.verdict = Verdict::kUnchanged;
  row.suppression_rule = rule.name;
}

std::vector<size_t> Attribution::WaitedForBy(size_t group) const {
  std::vector<size_t> found = {group};
  for (size_t at = 0; at < found.size() && at < kLongestChain; ++at) {
    for (const ComparisonRow& row : rows_) {
      if (row.group != found[at] || row.metric != Metric::kSleep || row.change <= 0) continue;
      for (const Share& share : SharesOf(row)) {
        if (!share.group || share.change < row.change * kNamed) continue;
        if (std::find(found.begin(), found.end(), *share.group) == found.end()) {
          found.push_back(*share.group);
        }
      }
    }
  }
  return found;
}

// The chain of causes: the group, what it does longer, the group that this waits for, and so on.
void Attribution::SetCauses(size_t number) {
  std::vector<CauseLink> chain;
  std::set<size_t> visited;
  std::optional<size_t> at = number;
  while (at && chain.size() < kLongestChain && visited.insert(*at).second) {
    const ComparisonRow& row = rows_[*at];
    const auto shares = SharesOf(row);
    if (shares.empty() || shares[0].change / row.change < kNamed) break;
    const Share& share = shares[0];
    chain.push_back({share.kind, share.group, share.change, row.metric});
    if (!share.group) break;
    at = CauseIn(*share.group, row, share.change, chain);
    if (!at) break;
    chain.push_back(
        {CauseLink::Kind::kDoing, rows_[*at].group, rows_[*at].change, rows_[*at].metric});
  }
  rows_[number].causes = std::move(chain);
}

double Attribution::AnsweredNs(size_t group, size_t by) const {
  const Captures captures = groups_.captures();
  double sum = 0;
  for (size_t i = 0; i < captures.size(); ++i) {
    const measure::Group* part = groups_.all()[group].In(captures, i);
    if (part == nullptr) continue;
    const auto& answers = part->of(measure::Attribution::kAnsweredBy);
    const auto found = answers.find(groups_.all()[by].at[i]);
    if (found != answers.end()) sum += static_cast<double>(found->second.ns);
  }
  return sum;
}

double Attribution::ThreadsAtOnce(size_t group) const {
  const Captures captures = groups_.captures();
  double most = 1;
  for (size_t i = 0; i < captures.size(); ++i) {
    const measure::Group* part = groups_.all()[group].In(captures, i);
    if (part == nullptr || captures[i]->length() == 0) continue;
    const auto length = static_cast<double>(captures[i]->length());
    const double absent = static_cast<double>(part->of(facts::Share::kAbsent)) / length;
    most = std::max(most, static_cast<double>(part->threads) - absent);
  }
  return most;
}

void Attribution::SetCausedBy(size_t number) {
  ComparisonRow& row = rows_[number];
  if (row.change <= 0 || !(IsSleep(row.metric) || IsForCpu(row.metric))) return;
  const auto shares = SharesOf(row);
  if (shares.empty() || !shares[0].group) return;
  // Whatever makes a child exit later is the cause, not the wait for it.
  const bool for_exit =
      IsLongerSleep(row) && IsAnswers(row.statistic) && WaitsForChildren(*row.group);
  if (shares[0].change / row.change < (for_exit ? kNamed : kExplained)) return;
  std::vector<CauseLink> links;
  const auto cause = CauseIn(*shares[0].group, row, shares[0].change, links);
  if (!cause) return;
  const ComparisonRow& other = rows_[*cause];
  // The holder of a lock may change a little for the same reason. Idle threads of a group sleep by
  // their timers for as long as the run takes. Other causes may be much smaller than their
  // symptoms, of which there may be one for each thread that waits.
  const auto of_cause = SharesOf(other);
  const bool by_timer = IsLongerSleep(other) && !of_cause.empty() && !of_cause[0].group;
  const bool is_weak = row.statistic == Statistic::kLockRate || by_timer;
  // All that wait at once wait for the same work.
  double part = is_weak ? kNamed : std::max(kLeastPart, kNamed / ThreadsAtOnce(*row.group));
  if (for_exit) part = kLeastPart;
  if (other.change < row.change * part) return;
  // Of two groups that wait for each other, neither is the cause. The one that asks comes first.
  if (IsSleep(other.metric) || IsForCpu(other.metric)) {
    const auto back = SharesOf(other);
    const bool for_each_other =
        !back.empty() && back[0].group == row.group && back[0].change / other.change >= kExplained;
    const bool is_asked = IsSleep(row.metric) && AnsweredNs(*other.group, *row.group) >
                                                     AnsweredNs(*row.group, *other.group);
    if (for_each_other && !is_asked) return;
  }
  row.caused_by = cause;
}

// Waits for groups out of scope have no weight.
void Attribution::SetWeight(size_t number) {
  ComparisonRow& row = rows_[number];
  if (!IsSleep(row.metric) && !IsForCpu(row.metric)) return;
  const auto shares = SharesOf(row);
  if (IsForCpu(row.metric)) {
    double out_of_scope = 0;
    for (const Share& share : shares) {
      if (share.group && !in_scope_[*share.group]) out_of_scope += share.change;
    }
    if (out_of_scope * row.change > 0) row.weight -= std::min(row.weight, std::abs(out_of_scope));
  } else if (!shares.empty() && !shares[0].group) {
    // It may be a timer of the program, or an answer through a device or the network.
    row.weight *= kExplained;
  }
}

void Attribution::Attribute() {
  for (size_t number = 0; number < rows_.size(); ++number) {
    const ComparisonRow& row = rows_[number];
    if (!row.group || !IsFinding(row.verdict) || row.suppressed_by) continue;
    for (const CrossGroupRule& rule : Rules()) (this->*rule.apply)(number, rule);
  }
  for (size_t number = 0; number < rows_.size(); ++number) {
    ComparisonRow& row = rows_[number];
    row.weight = std::abs(row.change);
    if (!row.group || !IsFinding(row.verdict) || row.suppressed_by) continue;
    SetWeight(number);
    if (row.verdict == Verdict::kNew || row.verdict == Verdict::kGone) continue;
    SetCauses(number);
    if (row.verdict == Verdict::kWorse) SetCausedBy(number);
  }
}

std::vector<size_t> RankOf(const std::vector<ComparisonRow>& rows) {
  std::vector<size_t> order;
  std::map<size_t, std::pair<size_t, size_t>> roots;
  // A cause has the largest weight of its symptoms, and is as bad as the worst of them.
  std::map<size_t, double> weights;
  std::map<size_t, bool> bad;
  for (size_t number = 0; number < rows.size(); ++number) {
    if (!IsFinding(rows[number].verdict) || rows[number].suppressed_by) continue;
    order.push_back(number);
    roots[number] = RootOf(rows, number);
    bad[roots[number].first] |= IsBad(rows[number]);
    double& weight = weights[roots[number].first];
    weight = std::max(weight, rows[number].weight);
  }
  const auto key = [&](size_t number) {
    const ComparisonRow& row = rows[number];
    const auto& [root, steps] = roots.at(number);
    return std::tuple(!bad.at(root), !row.request && !row.group, !row.request, -weights.at(root),
                      root, steps, -row.weight, -std::abs(row.change), row.p, number);
  };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  return order;
}

}  // namespace comparison
