// SPDX-License-Identifier: BSD-2-Clause
#include "compare/changes.h"

#include <algorithm>
#include <cmath>

namespace comparison {
namespace {

// Who waits for others in the place of its own pauses still has this part of those.
constexpr double kPausesKept = 0.25;

bool IsSum(Statistic statistic) {
  return statistic == Statistic::kLatencyRunnable || statistic == Statistic::kPreemptedRunnable;
}

// Who is woken by its own timers for the most part waits for nobody's work: longer sleeps are its
// own doing, and that it is woken less often comes of them.
bool IsOwnPace(const Side& side) { return side.timer >= side.share * kExplained; }

}  // namespace

double ChangeOf(const StatisticInfo& info, const Side& base, const Side& next) {
  if (IsMean(info.statistic)) {
    // As much more as the new events would have taken less before.
    if (base.events <= 0 || next.events <= 0) return 0;
    const double each = (next.ms / next.events - base.ms / base.events) * next.events;
    if (info.metric == Metric::kCpuTime || info.metric == Metric::kSlice) return each;
    // And no more than there is more of it: where short waits became rare, the mean of the others
    // is longer, and nobody waits more.
    const double whole = next.ms - base.ms;
    if (whole * each <= 0) return 0;
    return std::abs(whole) < std::abs(each) ? whole : each;
  }
  if (info.statistic == Statistic::kSleepForThreads) {
    // What it waits for others in the place of its own pauses, which go on. Who is woken more often
    // is asked for more, and that is no wait. Who waits less for others shows what those do faster.
    const bool asked = next.wakeups > base.wakeups * kLeastChange;
    if (asked || next.events < base.events * kPausesKept) return 0;
    return std::max(0.0, std::min(next.value - base.value, base.timer - next.timer));
  }
  if (info.metric == Metric::kSleep) {
    // One long sleep is cut by both edges, and in no whole; interrupted once it is two that are
    // nearly so, and nobody sleeps more: what is cut is looked at, too.
    const double with_cut = next.ms - base.ms;
    const double excess =
        info.statistic == Statistic::kSleepCount ? with_cut : next.value - base.value;
    if (excess * with_cut <= 0) return 0;
    const double longer = std::abs(with_cut) < std::abs(excess) ? with_cut : excess;
    // Who is woken as often as before and has longer sleeps among his, has those in the place of
    // waits for work. Who is woken less often, or in a longer run, has longer sleeps for want of
    // work: what counts is by how much more of the time he is asleep, unless he set a timer.
    const bool as_busy = !next.per_run && next.wakeups * kLeastChange >= base.wakeups;
    const bool own = (!next.per_run && next.timer - base.timer >= longer * kExplained) ||
                     (IsOwnPace(base) && IsOwnPace(next) &&
                      (next.pause - base.pause) * next.pauses >= longer * kExplained);
    // As much to do for more threads: each of them has less of it.
    const double threads = std::log(next.threads / base.threads);
    const double per_thread = std::log((next.wakeups + 1) / (base.wakeups + 1)) - threads;
    if (longer > 0 && threads > std::log(kLeastChange) && per_thread < -threads * kExplained)
      return 0;
    if (longer < 0 || as_busy || own) return longer;
    return std::max(0.0, std::min(longer, next.share - base.share));
  }
  if (info.statistic == Statistic::kBlockedCount) return next.ms - base.ms;
  if (IsSum(info.statistic)) {
    // It stands under the one of both that changed more.
    const double sum = next.value - base.value;
    const double more = (next.ms - base.ms) - (next.share - base.share);
    return more * sum > 0 ? sum : 0;
  }
  if (info.metric == Metric::kElapsed) {
    return 1e3 * (next.value - base.value) / std::max(base.value, info.floor);
  }
  const double change = next.value - base.value;
  return info.cost > 0 ? change * info.cost / 1e3 : change;
}

double ForeignChange(const Side& base, const Side& next) {
  const double change = next.foreign - base.foreign;
  const Side& more = change > 0 ? next : base;
  const Side& less = change > 0 ? base : next;
  if (more.foreign_demand <= less.foreign_demand) return 0;
  const double growth = less.foreign_demand / more.foreign_demand;
  const double explained = more.foreign * (1 - growth * growth);
  return std::copysign(std::min(std::abs(change), explained), change);
}

double LargestOf(const StatisticInfo& info, const Side& base, const Side& next) {
  if (IsMean(info.statistic) || info.statistic == Statistic::kSleepCount ||
      info.statistic == Statistic::kBlockedCount) {
    return std::max(base.ms, next.ms);
  }
  if (info.metric == Metric::kElapsed) return 1e3;
  return std::max(base.value, next.value) * (info.cost > 0 ? info.cost / 1e3 : 1);
}

}  // namespace comparison
