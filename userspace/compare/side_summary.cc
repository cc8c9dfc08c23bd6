// SPDX-License-Identifier: BSD-2-Clause
#include "compare/side_summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <type_traits>

#include "compare/change_rules.h"

namespace comparison {
namespace {

class GeometricMean {
 public:
  void Add(double value) {
    sum_ += std::log(value + kMeanFloor);
    ++count_;
  }
  double Value() const { return count_ == 0 ? 0 : std::exp(sum_ / count_) - kMeanFloor; }

 private:
  // Added before the logarithm: zeros have none.
  static constexpr double kMeanFloor = 1e-3;

  double sum_ = 0;
  double count_ = 0;
};

// Added to the values that are tested: one number for all captures, whatever their side.
std::array<double, 2> FloorsOf(Statistic statistic, const Observations& captures) {
  const double least = InfoOf(statistic).floor;
  // A mean of a few events is never next to nothing.
  if (IsMean(statistic)) return {least, least};
  std::array<double, 2> floors{};
  double count = 0;
  for (const auto& capture : captures) {
    if (!capture) continue;
    for (size_t t = 0; t < floors.size(); ++t) floors[t] += capture->tested[t];
    count += 1;
  }
  // Of the mean as much as the least change: what varies by less does not matter.
  for (double& floor : floors) {
    floor = least + (count > 0 ? (kLeastChange - 1) * floor / count : 0);
  }
  return floors;
}

class Summarizer {
 public:
  explicit Summarizer(std::span<const std::optional<Observation>> captures) : captures_(captures) {}

  SideSummary Summarize(double floor, const std::array<double, 2>& floors) {
    SideSummary side;
    for (const auto& capture : captures_) {
      if (!capture) continue;
      side.shown.push_back(std::log(capture->value + floor));
      for (size_t t = 0; t < capture->tests; ++t) {
        side.tested[t].push_back(std::log(capture->tested[t] + floors[t]));
      }
      // The floor damps the sampling variance, and the noise that is expected of `shown`.
      const double with_floor = capture->tested[0] + floors[0];
      const double of_sampling = capture->tested[0] / with_floor;
      side.sampling_variance += capture->sampling_variance * of_sampling * of_sampling;
      const double of_shown = (capture->tested[0] + floor) / with_floor;
      side.damping += of_shown * of_shown;
    }
    if (side.shown.empty()) return side;
    const auto count = static_cast<double>(side.shown.size());
    side.sampling_variance /= count;
    side.damping /= count;
    side.value = std::max(
        0.0, std::exp(std::accumulate(side.shown.begin(), side.shown.end(), 0.0) / count) - floor);
    side.out_of_scope.wait_ms = Mean([](const auto& of) { return of.out_of_scope.wait_ms; });
    side.out_of_scope.threads = Mean([](const auto& of) { return of.out_of_scope.threads; });
    side.detail = DetailOf();
    return side;
  }

 private:
  template <typename Of>
  double Mean(Of of) const {
    GeometricMean mean;
    for (const auto& capture : captures_) {
      if (capture) mean.Add(of(*capture));
    }
    return mean.Value();
  }

  Detail DetailOf() const {
    const auto first = std::find_if(captures_.begin(), captures_.end(),
                                    [](const auto& capture) { return capture.has_value(); });
    return std::visit(
        [&](auto detail) -> Detail {
          using Type = decltype(detail);
          for (const auto field : Type::kFields) {
            detail.*field =
                Mean([&](const Observation& of) { return std::get<Type>(of.detail).*field; });
          }
          if constexpr (std::is_same_v<Type, LongSleepDetail>) {
            for (const auto& capture : captures_) {
              if (capture) detail.per_run |= std::get<Type>(capture->detail).per_run;
            }
          }
          return detail;
        },
        (*first)->detail);
  }

  std::span<const std::optional<Observation>> captures_;
};

}  // namespace

std::pair<SideSummary, SideSummary> SummarizeSides(Statistic statistic,
                                                   const Observations& captures, size_t bases) {
  const std::array<double, 2> floors = FloorsOf(statistic, captures);
  const double floor = InfoOf(statistic).floor;
  const std::span all(captures);
  return {Summarizer(all.first(bases)).Summarize(floor, floors),
          Summarizer(all.subspan(bases)).Summarize(floor, floors)};
}

}  // namespace comparison
