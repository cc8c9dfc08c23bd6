// SPDX-License-Identifier: BSD-2-Clause
#include "compare/sides.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace comparison {
namespace {

// The part of what is usual that is added before the logarithm, besides the floor of the statistic:
// where next to nothing becomes a lot, it does not matter how much next to nothing varies.
constexpr double kFloorOfUsual = 0.1;

// The mean that one odd capture does not rule.
class LogMean {
 public:
  void Add(double value) {
    sum_ += std::log(value + 1e-3);
    ++count_;
  }
  double Value() const { return count_ == 0 ? 0 : std::exp(sum_ / count_) - 1e-3; }

 private:
  double sum_ = 0;
  double count_ = 0;
};

// What is added to the values that are tested, of all captures: it does not know of sides.
std::array<double, 2> FloorsOf(Statistic statistic, const Observations& captures) {
  const double least = InfoOf(statistic).floor;
  // A mean is of some events, however few: it is never next to nothing.
  if (IsMean(statistic)) return {least, least};
  std::array<double, 2> floors{};
  double count = 0;
  for (const auto& capture : captures) {
    if (!capture) continue;
    for (size_t t = 0; t < floors.size(); ++t) floors[t] += capture->tested[t];
    count += 1;
  }
  for (double& floor : floors) {
    floor = least + (count > 0 ? kFloorOfUsual * floor / count : 0);
  }
  return floors;
}

Side SideOf(Statistic statistic, const Observations& captures, const std::array<double, 2>& floors,
            size_t first, size_t last) {
  const double floor = InfoOf(statistic).floor;
  Side side;
  LogMean ms;
  LogMean events;
  LogMean foreign;
  LogMean foreign_demand;
  LogMean share;
  LogMean wakeups;
  LogMean timer;
  LogMean pauses;
  LogMean pause;
  LogMean threads;
  for (size_t i = first; i < last; ++i) {
    const auto& capture = captures[i];
    if (!capture) continue;
    side.shown.push_back(std::log(capture->value + floor));
    for (size_t t = 0; t < capture->tests; ++t) {
      side.tested[t].push_back(std::log(capture->tested[t] + floors[t]));
    }
    // The floor damps what chance does, too.
    const double damp = capture->tested[0] / (capture->tested[0] + floors[0]);
    side.chance += capture->chance * damp * damp;
    // And what the noise is that is expected of the value with the floor of the statistic alone.
    const double of_usual = (capture->tested[0] + floor) / (capture->tested[0] + floors[0]);
    side.damp += of_usual * of_usual;
    ms.Add(capture->ms);
    events.Add(capture->events);
    foreign.Add(capture->foreign);
    foreign_demand.Add(capture->foreign_demand);
    share.Add(capture->share);
    wakeups.Add(capture->wakeups);
    timer.Add(capture->timer);
    pauses.Add(capture->pauses);
    pause.Add(capture->pause);
    threads.Add(capture->threads);
    side.per_run |= capture->per_run;
  }
  if (side.shown.empty()) return side;
  const auto count = static_cast<double>(side.shown.size());
  side.chance /= count;
  side.damp /= count;
  side.value = std::max(
      0.0, std::exp(std::accumulate(side.shown.begin(), side.shown.end(), 0.0) / count) - floor);
  side.ms = ms.Value();
  side.events = events.Value();
  side.foreign = foreign.Value();
  side.foreign_demand = foreign_demand.Value();
  side.share = share.Value();
  side.wakeups = wakeups.Value();
  side.timer = timer.Value();
  side.pauses = pauses.Value();
  side.pause = pause.Value();
  side.threads = threads.Value();
  return side;
}

}  // namespace

bool IsMean(Statistic statistic) {
  return statistic == Statistic::kCpuPerWakeup || statistic == Statistic::kSliceTypical ||
         statistic == Statistic::kLatencyTypical || statistic == Statistic::kLatencyMean ||
         statistic == Statistic::kPreemptedTypical;
}

std::pair<Side, Side> SidesOf(Statistic statistic, const Observations& captures, size_t bases) {
  const std::array<double, 2> floors = FloorsOf(statistic, captures);
  return {SideOf(statistic, captures, floors, 0, bases),
          SideOf(statistic, captures, floors, bases, captures.size())};
}

}  // namespace comparison
