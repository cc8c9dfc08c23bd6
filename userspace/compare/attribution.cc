// SPDX-License-Identifier: BSD-2-Clause
#include "compare/attribution.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "compare/row_tests.h"
#include "compare/values/metric.h"

namespace comparison {
namespace {

// Links of a chain beyond which nobody follows.
constexpr size_t kLongestChain = 5;
// A waker or occupier of less of the change is not named.
constexpr double kNamed = 0.25;
// Threads of a group wait for one that runs longer, where that one runs longer by this part.
constexpr double kOwnRun = 0.25;
// What made another group slower may be smaller than what it caused, but not smaller than this
// part.
constexpr double kLeastCause = 0.05;
// What a sleep counts for in the ranking that no thread ended: it may be a timer of the program, or
// an answer that came through a device or the network.
constexpr double kEndedByNobody = 0.5;

bool IsWorse(const Row& row) {
  return (row.verdict == Verdict::kWorse || row.verdict == Verdict::kNew) && !row.folded_under;
}

bool IsSleep(Metric metric) { return metric == Metric::kSleep || metric == Metric::kBlocked; }

bool IsForACpu(Metric metric) {
  return metric == Metric::kWakeupLatency || metric == Metric::kPreemptedWait ||
         metric == Metric::kInversion || metric == Metric::kUnconserved;
}

}  // namespace

Attribution::Attribution(const Groups& groups, const Frame& frame, const std::vector<bool>& judged,
                         std::vector<Row>& rows)
    : groups_(groups), frame_(frame), judged_(judged), rows_(rows) {}

std::vector<Attribution::Share> Attribution::SharesOf(size_t group, const Row& row) const {
  const Captures captures = groups_.captures();
  const double bases = static_cast<double>(groups_.bases());
  const double nexts = static_cast<double>(captures.size()) - bases;
  std::map<std::pair<std::optional<size_t>, Cause::Kind>, double> sums;
  const auto add = [&](const measure::Group& part, size_t capture, measure::Attribution why,
                       Cause::Kind kind) {
    const double per = capture < groups_.bases() ? -1 / bases : 1 / nexts;
    for (const auto& [other, blame] : part.of(why)) {
      uint64_t ns = row.metric == Metric::kBlocked ? blame.blocked_ns : blame.ns;
      if (row.metric == Metric::kSleep) ns = blame.ns - std::min(blame.ns, blame.blocked_ns);
      std::optional<size_t> whose;
      if (other < captures[capture]->groups.size()) {
        whose = groups_.Of(capture, other);
      } else if (other != measure::kInterrupt) {
        continue;
      }
      if (!whose) kind = Cause::Kind::kInterrupt;
      sums[{whose, kind}] += per * static_cast<double>(ns) / kNsPerMs / frame_.seconds[capture];
    }
  };
  for (size_t i = 0; i < captures.size(); ++i) {
    const measure::Group* part = groups_.all()[group].In(captures, i);
    if (part == nullptr) continue;
    if (IsSleep(row.metric)) {
      add(*part, i, measure::Attribution::kWokenBy, Cause::Kind::kWokenBy);
    } else if (row.metric == Metric::kInversion) {
      add(*part, i, measure::Attribution::kHeldCpuLower, Cause::Kind::kInversion);
    } else if (row.metric == Metric::kPreemptedWait) {
      add(*part, i, measure::Attribution::kHeldCpu, Cause::Kind::kHeldCpu);
    } else if (IsForACpu(row.metric)) {
      add(*part, i, measure::Attribution::kHeldCpu, Cause::Kind::kHeldCpu);
    }
  }
  std::vector<Share> shares;
  for (const auto& [key, change] : sums) shares.push_back({key.first, change, key.second});
  std::sort(shares.begin(), shares.end(), [&](const Share& a, const Share& b) {
    return row.change > 0 ? a.change > b.change : a.change < b.change;
  });
  return shares;
}

std::optional<size_t> Attribution::LargestOf(size_t group, bool holds_cpu) const {
  std::optional<size_t> best;
  for (size_t number = 0; number < rows_.size(); ++number) {
    const Row& row = rows_[number];
    // Who holds a CPU for more work holds it all the same.
    const bool more = holds_cpu && row.metric == Metric::kCpuTime && row.verdict == Verdict::kMore;
    if (row.group != group || !(more || IsWorse(row))) continue;
    if (!best || row.change > rows_[*best].change) best = number;
  }
  return best;
}

// The chain of a row: who, what that one did longer, because of whom, and so on.
void Attribution::FollowChain(size_t number) {
  std::vector<Cause> chain;
  std::set<size_t> visited;
  std::optional<size_t> at = number;
  while (at && chain.size() < kLongestChain && visited.insert(*at).second) {
    const Row& row = rows_[*at];
    const auto shares = SharesOf(*row.group, row);
    if (shares.empty() || shares[0].change / row.change < kNamed) break;
    const Share& share = shares[0];
    chain.push_back({share.kind, share.group, share.change, row.metric});
    if (!share.group || *share.group == *row.group) break;
    at = LargestOf(*share.group, IsForACpu(row.metric));
    if (!at) break;
    chain.push_back({Cause::Kind::kDoing, share.group, rows_[*at].change, rows_[*at].metric});
  }
  rows_[number].because = std::move(chain);
}

std::optional<size_t> Attribution::HolderOf(const Row& row) const {
  std::optional<size_t> best;
  double best_share = 0;
  double sum = 0;
  for (const Share& share : SharesOf(*row.group, row)) {
    if (!share.group || share.change * row.change <= 0) continue;
    for (size_t number = 0; number < rows_.size(); ++number) {
      const Row& cpu = rows_[number];
      if (cpu.group != share.group || cpu.metric != Metric::kCpuTime || cpu.folded_under) continue;
      if (!IsFinding(cpu.verdict) || cpu.change * row.change <= 0) continue;
      sum += share.change;
      if (!best || share.change / best_share > 1) {
        best = number;
        best_share = share.change;
      }
    }
  }
  return sum / row.change >= kExplained ? best : std::nullopt;
}

double Attribution::BusyChange(size_t group) const {
  const Captures captures = groups_.captures();
  const double bases = static_cast<double>(groups_.bases());
  const double nexts = static_cast<double>(captures.size()) - bases;
  double change = 0;
  for (size_t i = 0; i < captures.size(); ++i) {
    const measure::Group* part = groups_.all()[group].In(captures, i);
    if (part == nullptr) continue;
    const uint64_t busy =
        part->of(facts::Share::kRunning) + part->of(facts::Share::kRunnableWakeup) +
        part->of(facts::Share::kRunnablePreempted) + part->of(facts::Share::kBlocked);
    const double per = i < groups_.bases() ? -1 / bases : 1 / nexts;
    change += per * static_cast<double>(busy) / kNsPerMs / frame_.seconds[i];
  }
  return change;
}

bool Attribution::IsSlowed(size_t group) const {
  const Captures captures = groups_.captures();
  double wakeups[2] = {0, 0};
  for (size_t i = 0; i < captures.size(); ++i) {
    const measure::Group* part = groups_.all()[group].In(captures, i);
    if (part == nullptr) continue;
    const bool next = i >= groups_.bases();
    const size_t side = next ? captures.size() - groups_.bases() : groups_.bases();
    wakeups[next] +=
        static_cast<double>(part->wakeups) / frame_.seconds[i] / static_cast<double>(side);
  }
  return wakeups[1] * kLeastChange < wakeups[0];
}

bool Attribution::IsRelief(const Row& row) const {
  if (row.metric != Metric::kSleep || row.change <= 0 || IsSlowed(*row.group)) return false;
  double timer = 0;
  double sooner = 0;
  double free = 0;
  for (const Share& share : SharesOf(*row.group, row)) {
    if (!share.group) {
      timer += share.change;
    } else if (*share.group != *row.group && share.change < 0) {
      const double busy = BusyChange(*share.group);
      if (busy >= 0) continue;
      sooner -= share.change;
      free -= busy;
    }
  }
  const double least = row.change * kExplained;
  return timer >= least && sooner >= least && free >= least;
}

bool Attribution::IsIdling(const Row& row) const {
  if (row.metric != Metric::kSleep || row.change <= 0) return false;
  if (groups_.all()[*row.group].name.of_command) return false;
  double asked = 0;
  for (const Share& share : SharesOf(*row.group, row)) {
    if (share.group && groups_.all()[*share.group].name.of_command) asked += share.change;
  }
  return asked >= row.change * kExplained;
}

// A wait for a CPU is a symptom of what held it: more work of the same kind, or what no longer
// does.
void Attribution::SuppressWait(size_t number) {
  Row& row = rows_[number];
  if (!IsForACpu(row.metric)) return;
  const auto holder = HolderOf(row);
  if (!holder || *holder == number) return;
  const Verdict verdict = rows_[*holder].verdict;
  if (verdict != Verdict::kMore && verdict != Verdict::kLess && verdict != Verdict::kBetter) return;
  row.folded_under = holder;
  for (Row& other : rows_) {
    if (other.folded_under == number) other.folded_under = holder;
  }
}

// Threads of a group that wait for one of them which runs longer.
void Attribution::SuppressOwnSleep(size_t number) {
  Row& row = rows_[number];
  if (row.metric != Metric::kSleep || row.change <= 0) return;
  double own = 0;
  for (const Share& share : SharesOf(*row.group, row)) {
    if (share.group == row.group) own += share.change;
  }
  if (own < row.change * kExplained) return;
  for (size_t other = 0; other < rows_.size(); ++other) {
    const Row& cpu = rows_[other];
    if (cpu.group == row.group && cpu.metric == Metric::kCpuTime && IsWorse(cpu) &&
        cpu.change >= row.change * kOwnRun) {
      row.folded_under = other;
    }
  }
}

void Attribution::ExplainRow(size_t number) {
  Row& row = rows_[number];
  if (row.change <= 0 || !(IsSleep(row.metric) || IsForACpu(row.metric))) return;
  const auto shares = SharesOf(*row.group, row);
  if (shares.empty() || !shares[0].group || *shares[0].group == *row.group) return;
  if (shares[0].change / row.change < kExplained) return;
  const auto cause = LargestOf(*shares[0].group, IsForACpu(row.metric));
  if (!cause || rows_[*cause].change < row.change * kLeastCause) return;
  // Two that wait for each other: neither is the cause.
  const Row& other = rows_[*cause];
  if (IsSleep(other.metric) || IsForACpu(other.metric)) {
    const auto back = SharesOf(*other.group, other);
    if (!back.empty() && back[0].group && *back[0].group == *row.group &&
        back[0].change / other.change >= kExplained) {
      return;
    }
  }
  row.caused_by = cause;
}

// What a change counts for in the ranking. Waits for other work of the machine, which is not
// judged, count for nothing.
void Attribution::Weigh(size_t number) {
  Row& row = rows_[number];
  row.weight = std::abs(row.change);
  if (!IsSleep(row.metric) && !IsForACpu(row.metric)) return;
  const auto shares = SharesOf(*row.group, row);
  if (IsForACpu(row.metric)) {
    double foreign = 0;
    for (const Share& share : shares) {
      if (share.group && !judged_[*share.group]) foreign += share.change;
    }
    if (foreign * row.change > 0) row.weight -= std::min(row.weight, std::abs(foreign));
  } else if (!shares.empty() && !shares[0].group) {
    row.weight *= kEndedByNobody;
  }
}

void Attribution::Attribute() {
  for (size_t number = 0; number < rows_.size(); ++number) {
    Row& row = rows_[number];
    if (!row.group || !IsFinding(row.verdict) || row.folded_under) continue;
    SuppressWait(number);
    SuppressOwnSleep(number);
    if (row.verdict == Verdict::kWorse && (IsRelief(row) || IsIdling(row))) {
      row.verdict = Verdict::kUnchanged;
    }
  }
  for (size_t number = 0; number < rows_.size(); ++number) {
    const Row& row = rows_[number];
    rows_[number].weight = std::abs(row.change);
    if (!row.group || !IsFinding(row.verdict) || row.folded_under) continue;
    Weigh(number);
    if (row.verdict == Verdict::kNew || row.verdict == Verdict::kGone) continue;
    FollowChain(number);
    if (row.verdict == Verdict::kWorse) ExplainRow(number);
  }
}

}  // namespace comparison
