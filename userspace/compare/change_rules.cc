// SPDX-License-Identifier: BSD-2-Clause
#include "compare/change_rules.h"

#include <algorithm>
#include <cmath>

namespace comparison {
namespace {

using Amount = std::optional<double>;

// The details of both sides, if they are of that type.
template <typename Detail>
struct Sides {
  const Detail* base;
  const Detail* next;

  Sides(const SideSummary& of_base, const SideSummary& of_next)
      : base(std::get_if<Detail>(&of_base.detail)), next(std::get_if<Detail>(&of_next.detail)) {}
  explicit operator bool() const { return base != nullptr && next != nullptr; }
};

double Nearer(double a, double b) { return std::abs(a) < std::abs(b) ? a : b; }

// What the events of the new side take more than as many took in the base.
double ChangeOfEvents(const Sides<MeanDetail>& of) {
  return (of.next->total_ms / of.next->events - of.base->total_ms / of.base->events) *
         of.next->events;
}

// The change of long sleeps. A sleep that both edges cut is in no complete length. Interrupted
// once it becomes two that nearly are: so the change with the cut ones limits it.
double LongerSleeps(const SideSummary& base, const SideSummary& next) {
  const Sides<LongSleepDetail> of(base, next);
  const double with_cut = of.next->with_cut_ms - of.base->with_cut_ms;
  const double complete = next.value - base.value;
  return complete * with_cut <= 0 ? 0 : Nearer(with_cut, complete);
}

// A group that mostly sleeps by its own timers, and has no requests of others: longer sleeps are
// its own doing, and fewer wakeups follow from them.
bool SetsItsPace(const LongSleepDetail& of) {
  return of.timer_ms >= of.asleep_ms * kExplained && of.requests < kLeastPerSecond;
}

constexpr ChangeRule kChangeRules[] = {
    // means
    {"mean_without_events", "A side without events has no mean.", 0,
     [](const StatisticInfo&, const SideSummary& base, const SideSummary& next, double) {
       const Sides<MeanDetail> of(base, next);
       return of && (of.base->events <= 0 || of.next->events <= 0) ? Amount(0) : std::nullopt;
     }},
    {"mean_of_runs", "The new events at the new mean, less the same events at the old mean.", 0,
     [](const StatisticInfo& info, const SideSummary& base, const SideSummary& next, double) {
       const Sides<MeanDetail> of(base, next);
       const bool runs = info.metric == Metric::kCpuTime || info.metric == Metric::kSlice;
       return of && runs ? Amount(ChangeOfEvents(of)) : std::nullopt;
     }},
    {"mean_of_waits",
     "The same, and at most the change of the sum. Where short waits become rare, the mean of the "
     "others is longer, and nothing waits more.",
     0,
     [](const StatisticInfo&, const SideSummary& base, const SideSummary& next, double) {
       const Sides<MeanDetail> of(base, next);
       if (!of) return Amount();
       const double each = ChangeOfEvents(of);
       const double sum = of.next->total_ms - of.base->total_ms;
       return Amount(sum * each <= 0 ? 0 : Nearer(sum, each));
     }},

    // sleeps for answers
    {"answer_without_events", "A side without answers has no mean.", 0,
     [](const StatisticInfo&, const SideSummary& base, const SideSummary& next, double) {
       const Sides<AnswerDetail> of(base, next);
       return of && (of.base->events <= 0 || of.next->events <= 0) ? Amount(0) : std::nullopt;
     }},
    {"answers_of_own_threads",
     "Threads of a group that hand work to each other do so less often where there is less of it, "
     "and sleep longer in between.",
     kExplained,
     [](const StatisticInfo&, const SideSummary& base, const SideSummary& next, double constant) {
       const Sides<AnswerDetail> of(base, next);
       if (!of) return Amount();
       const bool mostly_own = of.base->own_part >= constant && of.next->own_part >= constant;
       const bool is_longer =
           of.next->total_ms * of.base->events > of.base->total_ms * of.next->events;
       const AnswerDetail& shorter = is_longer ? *of.base : *of.next;
       const AnswerDetail& longer = is_longer ? *of.next : *of.base;
       const bool less = longer.wakeups * kLeastChange < shorter.wakeups;
       return mostly_own && less ? Amount(0) : std::nullopt;
     }},
    {"later_answers",
     "The new answers at the new mean, less the same answers at the old mean. Where the group does "
     "more between two answers, some of them come before it sleeps: then at most the change of the "
     "sum.",
     kExplained,
     [](const StatisticInfo&, const SideSummary& base, const SideSummary& next, double constant) {
       const Sides<AnswerDetail> of(base, next);
       if (!of) return Amount();
       const double longer = std::log(of.next->total_ms / of.next->events) -
                             std::log(of.base->total_ms / of.base->events);
       const double work = std::log((of.next->cpu_ms + 1) / of.next->events) -
                           std::log((of.base->cpu_ms + 1) / of.base->events);
       const double each =
           (of.next->total_ms / of.next->events - of.base->total_ms / of.base->events) *
           of.next->events;
       if (std::abs(work) <= std::abs(longer) * constant) return Amount(each);
       const double sum = of.next->total_ms - of.base->total_ms;
       return Amount(sum * each <= 0 ? 0 : Nearer(sum, each));
     }},

    // sleeps until threads end them, of a group with own timers
    {"requested_more_often", "A group that is woken more often has more requests, not waits.",
     kLeastChange,
     [](const StatisticInfo&, const SideSummary& base, const SideSummary& next, double constant) {
       const Sides<ThreadSleepDetail> of(base, next);
       return of && of.next->requests > of.base->requests * constant ? Amount(0) : std::nullopt;
     }},
    {"timer_sleeps_given_up", "Without its timer sleeps it is another program.", kNamed,
     [](const StatisticInfo&, const SideSummary& base, const SideSummary& next, double constant) {
       const Sides<ThreadSleepDetail> of(base, next);
       return of && of.next->timer_sleeps < of.base->timer_sleeps * constant ? Amount(0)
                                                                             : std::nullopt;
     }},
    {"waits_in_place_of_timer_sleeps",
     "A group with own timers waits for threads in the place of timer sleeps. Shorter waits show "
     "what other groups do faster.",
     0,
     [](const StatisticInfo&, const SideSummary& base, const SideSummary& next, double) {
       const Sides<ThreadSleepDetail> of(base, next);
       if (!of) return Amount();
       return Amount(
           std::max(0.0, std::min(next.value - base.value, of.base->timer_ms - of.next->timer_ms)));
     }},

    // sleeps for locks
    {"locks_of_less_work",
     "A group that is woken less often waits less for locks, which is not an improvement.",
     kLeastChange,
     [](const StatisticInfo&, const SideSummary& base, const SideSummary& next, double constant) {
       const Sides<LockDetail> of(base, next);
       if (!of) return Amount();
       const bool does_less = of.next->wakeups * constant < of.base->wakeups;
       return Amount(next.value < base.value && does_less ? 0 : next.value - base.value);
     }},

    // pauses amid work
    {"longer_pauses",
     "The new requests, each with its longer pauses: at most the change of the sum. Shorter pauses "
     "follow from less work.",
     0,
     [](const StatisticInfo&, const SideSummary& base, const SideSummary& next, double) {
       const Sides<PauseDetail> of(base, next);
       if (!of) return Amount();
       if (of.base->requests <= 0 || of.next->requests <= 0) return Amount(0);
       const double each =
           (next.value / of.next->requests - base.value / of.base->requests) * of.next->requests;
       return Amount(std::max(0.0, std::min(each, next.value - base.value)));
     }},

    // long sleeps
    {"same_work_for_more_threads", "With as much work for more threads, each of them has less.",
     kExplained,
     [](const StatisticInfo&, const SideSummary& base, const SideSummary& next, double constant) {
       const Sides<LongSleepDetail> of(base, next);
       if (!of || LongerSleeps(base, next) <= 0) return Amount();
       const double threads = std::log(of.next->threads / of.base->threads);
       const double per_thread =
           std::log((of.next->wakeups + 1) / (of.base->wakeups + 1)) - threads;
       const bool applies = threads > std::log(kLeastChange) && per_thread < -threads * constant;
       return applies ? Amount(0) : std::nullopt;
     }},
    {"shorter_sleeps",
     "Sleeping less is not an improvement by itself. A group that improves gets its answers "
     "sooner, or "
     "does the same work with less.",
     0,
     [](const StatisticInfo&, const SideSummary& base, const SideSummary& next, double) {
       const Sides<LongSleepDetail> of(base, next);
       return of && LongerSleeps(base, next) < 0 ? Amount(0) : std::nullopt;
     }},
    {"as_many_wakeups",
     "A group that is woken as often has the longer sleeps in the place of waits for work.",
     kLeastChange,
     [](const StatisticInfo&, const SideSummary& base, const SideSummary& next, double constant) {
       const Sides<LongSleepDetail> of(base, next);
       const bool applies =
           of && !of.next->per_run && of.next->wakeups * constant >= of.base->wakeups;
       return applies ? Amount(LongerSleeps(base, next)) : std::nullopt;
     }},
    {"longer_timer_sleeps", "Sleeps by own timers grew by enough to explain it.", kExplained,
     [](const StatisticInfo&, const SideSummary& base, const SideSummary& next, double constant) {
       const Sides<LongSleepDetail> of(base, next);
       if (!of) return Amount();
       const double longer = LongerSleeps(base, next);
       const bool applies =
           !of.next->per_run && of.next->timer_ms - of.base->timer_ms >= longer * constant;
       return applies ? Amount(longer) : std::nullopt;
     }},
    {"slower_pace", "A group that sets its pace by a timer sleeps longer each time.", kExplained,
     [](const StatisticInfo&, const SideSummary& base, const SideSummary& next, double constant) {
       const Sides<LongSleepDetail> of(base, next);
       if (!of || !SetsItsPace(*of.base) || !SetsItsPace(*of.next)) return Amount();
       const double longer = LongerSleeps(base, next);
       const double grown =
           (of.next->timer_sleep_ms - of.base->timer_sleep_ms) * of.next->timer_sleeps;
       return grown >= longer * constant ? Amount(longer) : std::nullopt;
     }},
    {"less_work",
     "A group that is woken less often, or in a longer run, sleeps longer for lack of work. Only "
     "the change of its part of time asleep counts.",
     0,
     [](const StatisticInfo&, const SideSummary& base, const SideSummary& next, double) {
       const Sides<LongSleepDetail> of(base, next);
       if (!of) return Amount();
       return Amount(std::max(
           0.0, std::min(LongerSleeps(base, next), of.next->asleep_ms - of.base->asleep_ms)));
     }},

    // other statistics
    {"time_in_d",
     "Waits in D count by their time, and by that of the waits for a CPU behind them where it "
     "changes likewise: on a busy machine a wait costs both.",
     0,
     [](const StatisticInfo&, const SideSummary& base, const SideSummary& next, double) {
       const Sides<BlockedDetail> of(base, next);
       if (!of) return Amount();
       const double blocked = of.next->blocked_ms - of.base->blocked_ms;
       const double after = of.next->after_ms - of.base->after_ms;
       return Amount(blocked * after > 0 ? blocked + after : blocked);
     }},
    {"all_waits_for_cpu",
     "A thread that comes first after wakeups is preempted more: the sum of both waits is steadier "
     "than its parts. It counts for the metric whose part changed more.",
     0,
     [](const StatisticInfo&, const SideSummary& base, const SideSummary& next, double) {
       const Sides<CpuWaitDetail> of(base, next);
       if (!of) return Amount();
       const double sum = next.value - base.value;
       const double more =
           (of.next->own_ms - of.base->own_ms) - (of.next->other_ms - of.base->other_ms);
       return Amount(more * sum > 0 ? sum : 0);
     }},
    {"request_time",
     "The requests of the side that has fewer, each by the difference. A quantile counts for the "
     "part of them beyond it, the median for all.",
     0,
     [](const StatisticInfo& info, const SideSummary& base, const SideSummary& next, double) {
       const Sides<RequestDetail> of(base, next);
       if (!of) return Amount();
       const double events = std::min(of.base->events, of.next->events);
       const double part = info.statistic == Statistic::kRequestP90   ? 0.1
                           : info.statistic == Statistic::kRequestP99 ? 0.01
                                                                      : 1;
       return Amount((next.value - base.value) / 1e3 * events * part);
     }},
    {"elapsed_time", "In ms for each second of the base.", 0,
     [](const StatisticInfo& info, const SideSummary& base, const SideSummary& next, double) {
       const bool applies = info.metric == Metric::kElapsed;
       return applies ? Amount(1e3 * (next.value - base.value) / std::max(base.value, info.floor))
                      : std::nullopt;
     }},
    {"cost_of_events", "Events count by their cost, times by themselves.", 0,
     [](const StatisticInfo& info, const SideSummary& base, const SideSummary& next, double) {
       const double change = next.value - base.value;
       return Amount(info.cost > 0 ? change * info.cost / 1e3 : change);
     }},
};

}  // namespace

std::span<const ChangeRule> ChangeRules() { return kChangeRules; }

double ChangeOf(const StatisticInfo& info, const SideSummary& base, const SideSummary& next) {
  for (const ChangeRule& rule : kChangeRules) {
    if (const auto change = rule.change(info, base, next, rule.constant)) return *change;
  }
  return 0;
}

double OutOfScopeChange(const SideSummary& base, const SideSummary& next) {
  const double change = next.out_of_scope.wait_ms - base.out_of_scope.wait_ms;
  // A group that waits less for others is not better: they do less, or it wants the CPU less.
  if (change <= 0) return change;
  const OutOfScopeLoad& more = next.out_of_scope;
  const OutOfScopeLoad& less = base.out_of_scope;
  if (more.threads <= less.threads) return 0;
  const double growth = less.threads / more.threads;
  return std::min(change, more.wait_ms * (1 - growth * growth));
}

double LargestChange(const StatisticInfo& info, const SideSummary& base, const SideSummary& next) {
  if (const Sides<MeanDetail> of(base, next); of) {
    return std::max(of.base->total_ms, of.next->total_ms);
  }
  if (const Sides<AnswerDetail> of(base, next); of) {
    return std::max(of.base->total_ms, of.next->total_ms);
  }
  if (const Sides<BlockedDetail> of(base, next); of) {
    return std::max(of.base->blocked_ms, of.next->blocked_ms);
  }
  if (const Sides<RequestDetail> of(base, next); of) {
    return std::max(of.base->total_ms, of.next->total_ms);
  }
  if (info.metric == Metric::kElapsed) return 1e3;
  return std::max(base.value, next.value) * (info.cost > 0 ? info.cost / 1e3 : 1);
}

}  // namespace comparison
