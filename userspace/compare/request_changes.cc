// SPDX-License-Identifier: BSD-2-Clause
#include "compare/request_changes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "compare/values/lengths.h"
#include "compare/values/metric.h"

namespace comparison {
namespace {

std::optional<RequestFigures> FiguresOf(const measure::RequestStats* stats) {
  if (stats == nullptr || stats->times.whole.empty()) return std::nullopt;
  const measure::Distribution& times = stats->times;
  const auto count = static_cast<double>(times.whole.count());
  RequestFigures figures{.count = times.whole.count(),
                         .mean = static_cast<double>(times.whole_ns) / count / kNsPerUs};
  const auto quantile = [&](double q) -> std::optional<double> {
    if (q > 0.5 && count * (1 - q) < kLeastShownBeyond * (1 - 1e-9)) return std::nullopt;
    return static_cast<double>(times.Quantile(q)) / kNsPerUs;
  };
  figures.p50 = quantile(0.5);
  figures.p90 = quantile(0.9);
  figures.p99 = quantile(0.99);
  return figures;
}

}  // namespace

double RequestChange::change() const {
  double sum = 0;
  for (const PartChange& part : parts) sum += part.change();
  return sum;
}

std::optional<RequestCause> RequestChange::CauseOf(double direction, double of_quantile) const {
  struct Sum {
    double change = 0;
    size_t largest = 0;
  };
  // Own parts by kind and thing, others by thread.
  using Key = std::tuple<bool, path::PartKind, std::string, std::string>;
  const Key cpu_waits = {true, path::PartKind::kRunnable, "", ""};
  std::map<Key, Sum> causes;
  for (size_t i = 0; i < parts.size(); ++i) {
    const measure::PathPart& part = parts[i].part;
    Key key = {part.is_own, part.kind, part.waited_for, part.object};
    if (!part.is_own) {
      key = {false, path::PartKind::kUnknown, part.thread, ""};
    } else if (part.kind == path::PartKind::kRunnable) {
      key = cpu_waits;
    }
    const auto [at, is_new] = causes.try_emplace(std::move(key), Sum{.change = 0, .largest = i});
    Sum& sum = at->second;
    sum.change += parts[i].change();
    if (parts[i].change() * direction > parts[sum.largest].change() * direction) sum.largest = i;
  }
  std::optional<RequestCause> best;       // of all parts
  std::optional<RequestCause> best_else;  // of all but waits for a CPU
  for (const auto& [key, sum] : causes) {
    if (sum.change * direction <= 0) continue;
    const RequestCause cause{.part = sum.largest, .change = sum.change};
    const auto keep = [&cause](std::optional<RequestCause>& largest) {
      if (!largest || std::abs(cause.change) > std::abs(largest->change)) largest = cause;
    };
    keep(best);
    if (key != cpu_waits) keep(best_else);
  }
  const double whole = std::abs(of_quantile);
  const bool is_of_some = best && best_else && best->part != best_else->part && whole != 0 &&
                          std::abs(best->change) > whole;
  return is_of_some && std::abs(best_else->change) >= whole * kExplained ? best_else : best;
}

RequestChange ChangeOf(const SharedRequest& request, size_t bases) {
  RequestChange change;
  change.name = request.name;
  std::map<measure::PathPart, PartChange> parts;
  double captures[2] = {0, 0};
  for (size_t i = 0; i < request.at.size(); ++i) {
    const auto figures = FiguresOf(request.at[i]);
    (i < bases ? change.base_captures : change.next_captures).push_back(figures);
    if (figures) captures[i < bases ? 0 : 1] += 1;
  }
  for (size_t i = 0; i < request.at.size(); ++i) {
    const measure::RequestStats* stats = request.at[i];
    if (stats == nullptr || stats->times.whole.empty()) continue;
    const double weight = 1 / (kNsPerMs * static_cast<double>(stats->times.whole.count()) *
                               captures[i < bases ? 0 : 1]);
    for (const auto& [part, ns] : stats->parts) {
      PartChange& to = parts[part];
      to.part = part;
      (i < bases ? to.base : to.next) += static_cast<double>(ns) * weight;
    }
  }
  for (auto& [part, of] : parts) change.parts.push_back(std::move(of));
  std::stable_sort(change.parts.begin(), change.parts.end(),
                   [](const PartChange& a, const PartChange& b) {
                     return std::abs(a.change()) > std::abs(b.change());
                   });
  return change;
}

}  // namespace comparison
