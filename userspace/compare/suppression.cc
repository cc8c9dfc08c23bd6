// SPDX-License-Identifier: BSD-2-Clause
#include "compare/suppression.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>

namespace comparison {
namespace {

class Folder {
 public:
  Folder(std::vector<Row>& rows, std::span<const size_t> numbers)
      : rows_(rows), numbers_(numbers) {}

  // The first metric that has a finding that `matches`.
  std::optional<size_t> Find(const std::function<bool(const Row&)>& matches) const {
    for (size_t metric = 0; metric < kMetrics; ++metric) {
      if (const auto found = Find(static_cast<Metric>(metric), matches)) return found;
    }
    return std::nullopt;
  }

  // The finding of a metric with the largest change, if `matches`.
  std::optional<size_t> Find(Metric metric, const std::function<bool(const Row&)>& matches) const {
    std::optional<size_t> best;
    for (const size_t number : numbers_) {
      const Row& row = rows_[number];
      if (row.metric != metric || !IsFinding(row.verdict) || row.folded_under) continue;
      if (!matches(row)) continue;
      if (!best || std::abs(row.change) > std::abs(rows_[*best].change)) best = number;
    }
    return best;
  }

  void FoldAll(Metric metric, const std::function<std::optional<size_t>(const Row&)>& under) {
    for (const size_t number : numbers_) {
      Row& row = rows_[number];
      if (row.metric != metric || !IsFinding(row.verdict) || row.folded_under) continue;
      if (const auto parent = under(row); parent && *parent != number) row.folded_under = parent;
    }
  }

  // The first of the metrics that has a finding which goes the same way.
  std::optional<size_t> SameWay(const Row& row, std::initializer_list<Metric> metrics) const {
    for (const Metric metric : metrics) {
      const auto found =
          Find(metric, [&](const Row& other) { return (other.change > 0) == (row.change > 0); });
      if (found) return found;
    }
    return std::nullopt;
  }

 private:
  std::vector<Row>& rows_;
  std::span<const size_t> numbers_;
};

}  // namespace

void Fold(std::vector<Row>& rows, std::span<const size_t> numbers, const SuppressionFacts& facts) {
  Folder folder(rows, numbers);

  const auto appeared = folder.Find(
      [](const Row& row) { return row.verdict == Verdict::kNew || row.verdict == Verdict::kGone; });
  if (appeared) {
    for (const size_t number : numbers) {
      if (number != *appeared && IsFinding(rows[number].verdict)) {
        rows[number].folded_under = appeared;
      }
    }
    return;
  }

  folder.FoldAll(Metric::kWakeupLatency, [&](const Row& row) -> std::optional<size_t> {
    if (facts.after_blocked / row.change < kExplained) return std::nullopt;
    return folder.SameWay(row, {Metric::kBlocked});
  });
  // Each wakeup has its latency, and whoever is woken more often is preempted more often.
  for (const auto& [metric, more] : {std::pair(Metric::kWakeupLatency, facts.latency),
                                     std::pair(Metric::kPreemptedWait, facts.preempted)}) {
    folder.FoldAll(metric, [&, more = more](const Row& row) {
      return folder.Find(Metric::kWakeups, [&](const Row& wakeups) {
        return row.change > 0 && std::log(wakeups.ratio.value) >= more * kExplained;
      });
    });
  }
  // Who runs more is preempted more: by as much, or by as many times.
  folder.FoldAll(Metric::kPreemptedWait, [&](const Row& row) {
    return folder.Find(Metric::kCpuTime, [&](const Row& cpu) {
      const double times = std::log(cpu.ratio.value);
      return cpu.change / row.change >= kExplained ||
             (row.change > 0 && cpu.change > 0 && cpu.statistic == Statistic::kCpuRate &&
              times >= facts.preempted * kExplained);
    });
  });
  const auto better = [](const Row& row) { return row.verdict == Verdict::kBetter; };
  const auto cheaper = folder.Find(Metric::kCpuTime, better);
  const double free = facts.relief - (cheaper ? rows[*cheaper].change : 0);
  folder.FoldAll(Metric::kSleep, [&](const Row& row) -> std::optional<size_t> {
    if (row.change > 0) {
      // Of waits in the place of own pauses that is no reason: who has time left pauses longer.
      if (row.statistic == Statistic::kSleepForThreads) return std::nullopt;
      // More of them are longer than half of all: by how much, in all, is how much more it is
      // asleep.
      const bool more = cheaper && row.statistic == Statistic::kSleepCount;
      const double longer = more ? std::min(row.change, std::max(0.0, facts.asleep)) : row.change;
      if (facts.slowed || free < longer * kExplained) return std::nullopt;
      const auto relief = cheaper ? cheaper : folder.Find(better);
      // Waits for a CPU became fewer, though not by so much that it is a finding.
      if (!relief) rows[&row - rows.data()].verdict = Verdict::kUnchanged;
      return relief;
    }
    const auto more = [](const Row& other) { return other.change > 0; };
    if (const auto cpu = folder.Find(Metric::kCpuTime, more)) return cpu;
    if (const auto wakeups = folder.Find(Metric::kWakeups, more)) return wakeups;
    // It runs or waits for a CPU where it slept before: that is nothing better.
    const double taken =
        std::max(0.0, facts.running) + std::max(0.0, facts.runnable) + std::max(0.0, facts.blocked);
    if (taken < -row.change * kExplained) return std::nullopt;
    const auto instead = folder.Find(more);
    if (!instead) rows[&row - rows.data()].verdict = Verdict::kUnchanged;
    return instead;
  });
  folder.FoldAll(Metric::kSwitches, [&](const Row& row) {
    return folder.SameWay(
        row, {Metric::kWakeups, Metric::kPreemptedWait, Metric::kBlocked, Metric::kCpuTime});
  });
  folder.FoldAll(Metric::kMigrations, [&](const Row& row) {
    return folder.Find(Metric::kWakeups, [&](const Row& wakeups) {
      const double explained = std::log(wakeups.ratio.value) / std::log(row.ratio.value);
      return explained >= kExplained;
    });
  });
  folder.FoldAll(Metric::kCpuTime, [&](const Row& row) -> std::optional<size_t> {
    // It is cheaper on the average because there is more of something cheap.
    if (row.statistic != Statistic::kCpuPerWakeup || row.change > 0) return std::nullopt;
    const auto more = [](const Row& other) { return other.change > 0; };
    const auto forks = folder.Find(Metric::kForks, more);
    return forks ? forks : folder.Find(Metric::kWakeups, more);
  });
  // More work shows as CPU time and as wakeups: it is one change.
  folder.FoldAll(Metric::kWakeups, [&](const Row& row) {
    return folder.Find(Metric::kCpuTime, [&](const Row& cpu) {
      return row.verdict == cpu.verdict &&
             (row.verdict == Verdict::kMore || row.verdict == Verdict::kLess);
    });
  });
  folder.FoldAll(Metric::kSyscallTime, [&](const Row& row) {
    return folder.SameWay(row, {Metric::kCpuTime, Metric::kBlocked, Metric::kSleep,
                                Metric::kPreemptedWait, Metric::kWakeupLatency});
  });
  for (const Metric part : {Metric::kInversion, Metric::kUnconserved, Metric::kSlice}) {
    folder.FoldAll(part, [&](const Row& row) {
      const auto same = folder.SameWay(row, {Metric::kPreemptedWait, Metric::kWakeupLatency,
                                             Metric::kCpuTime, Metric::kWakeups, Metric::kBlocked});
      return same ? same : folder.Find([&](const Row& other) { return !IsPart(other.metric); });
    });
  }
  for (const size_t number : numbers) {
    Row& row = rows[number];
    if (IsPart(row.metric) && IsFinding(row.verdict) && !row.folded_under) {
      row.verdict = Verdict::kUnchanged;
    }
  }
  // Under the row that stands, not under one that went under it.
  for (const size_t number : numbers) {
    auto& under = rows[number].folded_under;
    for (size_t steps = 0; under && rows[*under].folded_under && steps < numbers.size(); ++steps) {
      under = rows[*under].folded_under;
    }
  }
}

}  // namespace comparison
