// SPDX-License-Identifier: BSD-2-Clause
#include "compare/details.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "compare/values/lengths.h"
#include "compare/values/metric.h"
#include "schema/wait_object.h"

namespace comparison {
namespace {

using measure::Capture;
using measure::Distribution;

// A thread blocks in D for few objects: those of a hundredth of the time speak for the rest.
constexpr double kDescribedInD = 0.01;

constexpr size_t kExamples = 3;

DiffSide SideOf(Captures captures, size_t first, size_t last) {
  DiffSide side;
  const Capture& one = *captures[first];
  side.kernel = one.kernel;
  side.recorder = one.recorder;
  side.host = one.host;
  side.categories = one.categories;
  side.filters = one.filters;
  side.command = one.command;
  side.cpus = one.cpus;
  for (size_t i = first; i < last; ++i) {
    side.files.push_back(captures[i]->file);
    side.seconds.push_back(static_cast<double>(captures[i]->length()) / 1e9);
    side.lost_events += captures[i]->lost_events;
    side.unseen_switches += captures[i]->unseen_switches;
  }
  return side;
}

// The lengths of a row on one side, by capture; null where there are none.
std::vector<const Distribution*> DistributionsOf(const ComparisonRow& row, const Groups& groups,
                                                 const SharedRequests& requests, size_t first,
                                                 size_t last) {
  std::vector<const Distribution*> found;
  if (row.request) {
    const auto all = requests.all()[*row.request].times();
    return {all.begin() + static_cast<ptrdiff_t>(first),
            all.begin() + static_cast<ptrdiff_t>(last)};
  }
  for (size_t i = first; i < last; ++i) {
    const Capture& capture = *groups.captures()[i];
    const Distribution* times = nullptr;
    if (row.group) {
      const measure::Group* part = groups.all()[*row.group].In(groups.captures(), i);
      if (part != nullptr) times = LengthsOf(*part, row.metric, row.name);
    } else if (row.metric == Metric::kIrqTime || row.metric == Metric::kSoftirqTime) {
      const auto handler = capture.handlers.find(row.name);
      if (handler != capture.handlers.end()) times = &handler->second;
    }
    found.push_back(times);
  }
  return found;
}

Quantiles ShownQuantiles(const std::vector<const Distribution*>& captures) {
  for (const Distribution* times : captures) {
    if (times == nullptr) return {};
  }
  static constexpr double kShown[] = {0.5, 0.99, 0.999};
  std::vector<std::optional<double>> found = QuantilesOf(captures, kShown);
  for (auto& ns : found) {
    if (ns) *ns /= kNsPerUs;
  }
  return {found[0], found[1], found[2]};
}

std::vector<Example> ExamplesOf(const std::vector<const Distribution*>& captures,
                                Captures of_captures, size_t first) {
  std::vector<Example> examples;
  for (size_t i = 0; i < captures.size(); ++i) {
    if (captures[i] == nullptr) continue;
    for (const measure::Instance& one : captures[i]->worst) {
      const Capture& capture = *of_captures[first + i];
      examples.push_back({capture.file, one.begin, one.begin - std::min(one.begin, capture.begin),
                          one.length, one.thread});
    }
  }
  std::sort(examples.begin(), examples.end(), [](const Example& a, const Example& b) {
    return std::tie(b.duration_ns, a.file, a.time_ns) < std::tie(a.duration_ns, b.file, b.time_ns);
  });
  examples.resize(std::min(examples.size(), kExamples));
  return examples;
}

measure::Histogram Merged(const std::vector<const Distribution*>& captures) {
  measure::Histogram all;
  for (const Distribution* times : captures) {
    if (times != nullptr) all.Merge(times->whole);
  }
  return all;
}

void AddTimes(const SharedGroup& group, Captures captures, size_t bases, DiffGroup& out) {
  for (size_t i = 0; i < captures.size(); ++i) {
    const measure::Group* part = group.In(captures, i);
    if (part == nullptr) continue;
    for (size_t kind = 0; kind < measure::kDurations; ++kind) {
      (i < bases ? out.base_times : out.next_times)[kind].Merge(part->times[kind].whole);
    }
  }
}

// The limit that throttled the group longest in captures of one side.
std::optional<facts::CpuLimit> LongestLimit(Captures captures, const SharedGroup& group,
                                            size_t first, size_t last) {
  std::map<facts::CpuLimit, uint64_t> limits;
  for (size_t i = first; i < last; ++i) {
    const measure::Group* part = group.In(captures, i);
    if (part == nullptr) continue;
    for (const auto& [limit, ns] : part->limits) limits[limit] += ns;
  }
  const auto longest =
      std::max_element(limits.begin(), limits.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (longest == limits.end()) return std::nullopt;
  return longest->first;
}

// Sleeps of a side for one object, per second.
struct SleptFor {
  double count = 0;
  double ms = 0;
};
using SleptSides = std::pair<SleptFor, SleptFor>;  // base, new

// The purposes of sleeps that a row may be about: those of its statistic, and those that end as
// most of its change did, by a thread or by none.
bool IsPurposeOf(const ComparisonRow& row, const measure::WaitedObject& object) {
  using facts::WaitsFor;
  if (row.statistic == Statistic::kLockRate) return object.waits_for == WaitsFor::kLock;
  if (row.statistic == Statistic::kPauseRate) return object.kind == schema::wait_kind::kSleep;
  if (IsAnswers(row.statistic)) {
    return object.waits_for == WaitsFor::kAnswer || object.waits_for == WaitsFor::kChild;
  }
  if (row.causes.empty() || row.causes[0].change / row.change < kExplained) return true;
  const bool by_none =
      object.waits_for == WaitsFor::kTimer || object.waits_for == WaitsFor::kDevice;
  const bool by_thread = !by_none && object.waits_for != WaitsFor::kUnknown;
  return row.causes[0].kind == CauseLink::Kind::kInterrupt ? !by_thread : !by_none;
}

// What the group slept for.
std::map<measure::WaitedObject, SleptSides> SleptForOf(const ComparisonRow& row,
                                                       const Groups& groups,
                                                       const Normalization& normalization) {
  const SharedGroup& group = groups.all()[*row.group];
  const Captures captures = groups.captures();
  std::map<measure::WaitedObject, SleptSides> all;
  for (size_t i = 0; i < captures.size(); ++i) {
    const measure::Group* part = group.In(captures, i);
    if (part == nullptr) continue;
    const bool base = i < groups.bases();
    const auto side = static_cast<double>(base ? groups.bases() : captures.size() - groups.bases());
    const double weight = 1 / (normalization.seconds[i] * side);
    for (const auto& [object, blame] : part->waited_objects) {
      const bool is_of_row = object.kind != measure::kOthers &&
                             object.blocked == (row.metric == Metric::kBlocked) &&
                             (object.blocked || IsPurposeOf(row, object));
      if (!is_of_row) continue;
      measure::WaitedObject key = object;
      key.waits_for = facts::WaitsFor::kUnknown;
      SleptSides& sides = all[key];
      SleptFor& sum = base ? sides.first : sides.second;
      sum.count += weight * static_cast<double>(blame.count);
      sum.ms += weight * static_cast<double>(blame.ns) / kNsPerMs;
    }
  }
  return all;
}

double MoreTime(const SleptSides& sides) { return sides.second.ms - sides.first.ms; }

// The part of it by longer sleeps: a program that runs for a fixed time sleeps more rarely then.
double MoreTimeByLength(const SleptSides& sides) {
  const auto& [base, next] = sides;
  return base.count == 0 ? next.ms : next.ms - next.count * base.ms / base.count;
}

// The object whose change explains half of the row's, or else the call and kind that do. Sleeps
// shorter than 100 us have no object. Those that have one speak for the rest if they are a
// twentieth of the change (kLeastPart; in D kDescribedInD), and one object explains all of them but
// a quarter (kNamed).
std::optional<ObjectChange> ObjectChangeOf(const ComparisonRow& row, const Groups& groups,
                                           const Normalization& normalization) {
  if (!row.group || row.change == 0 ||
      (row.metric != Metric::kSleep && row.metric != Metric::kBlocked)) {
    return std::nullopt;
  }
  auto by_name = SleptForOf(row, groups, normalization);
  std::map<measure::WaitedObject, SleptSides> by_kind;
  double described = 0;
  for (const auto& [object, sides] : by_name) {
    measure::WaitedObject kind = object;
    kind.object.clear();
    auto& [base, next] = by_kind[kind];
    base.count += sides.first.count;
    base.ms += sides.first.ms;
    next.count += sides.second.count;
    next.ms += sides.second.ms;
    described += MoreTime(sides);
  }
  const double least = row.metric == Metric::kBlocked ? kDescribedInD : kLeastPart;
  const double sign = row.change < 0 ? -1 : 1;
  const auto most_of = [&](const auto& all, auto change) -> std::optional<ObjectChange> {
    std::optional<ObjectChange> most;
    for (const auto& [object, sides] : all) {
      if (!most || change(sides) * sign > most->change * sign) most = {object, change(sides)};
    }
    return most;
  };
  for (const auto* all : {&by_name, &by_kind}) {
    const auto most = most_of(*all, MoreTime);
    if (!most) continue;
    const bool explains =
        most->change / row.change >= kExplained ||
        (described / row.change >= least && most->change / described >= 1 - kNamed);
    if (explains) return most;
  }
  if (!IsExcess(row.statistic)) return std::nullopt;
  for (const auto* all : {&by_name, &by_kind}) {
    const auto most = most_of(*all, MoreTimeByLength);
    if (most && most->change / row.change >= kExplained) return most;
  }
  return std::nullopt;
}

bool IsOfProcesses(const measure::Group& group) {
  return group.pids.size() > 1 &&
         group.pids.size() == std::min<uint64_t>(group.threads, measure::Group::kPids);
}

}  // namespace

void AddDetails(DiffReport& report, const Groups& groups, const SharedRequests& requests,
                const std::vector<bool>& in_scope, const Normalization& normalization) {
  const Captures captures = groups.captures();
  const size_t bases = groups.bases();
  report.base = SideOf(captures, 0, bases);
  report.next = SideOf(captures, bases, captures.size());
  for (size_t g = 0; g < groups.all().size(); ++g) {
    const SharedGroup& group = groups.all()[g];
    DiffGroup out;
    out.name = group.shown;
    out.former_name = group.former_shown;
    out.in_scope = in_scope[g];
    out.of_recorder = group.of_recorder;
    out.of_processes = true;
    for (size_t i = 0; i < captures.size(); ++i) {
      const measure::Group* part = group.In(captures, i);
      if (part == nullptr) continue;
      out.of_processes = out.of_processes && IsOfProcesses(*part);
      const bool base = i < bases;
      const double weight = 1 / (normalization.seconds[i] * kNsPerMs) /
                            static_cast<double>(base ? bases : captures.size() - bases);
      for (size_t s = 0; s < facts::kShares; ++s) {
        (base ? out.base_shares : out.next_shares)[s] +=
            static_cast<double>(part->share_ns[s]) * weight;
      }
    }
    out.base_limit = LongestLimit(captures, group, 0, bases);
    out.next_limit = LongestLimit(captures, group, bases, captures.size());
    report.groups.push_back(std::move(out));
  }
  for (ComparisonRow& row : report.others) {
    row.object = ObjectChangeOf(row, groups, normalization);
  }
  std::vector<bool> has_times(report.groups.size());
  for (ComparisonRow& row : report.rows) {
    const auto base = DistributionsOf(row, groups, requests, 0, bases);
    const auto next = DistributionsOf(row, groups, requests, bases, captures.size());
    row.base_quantiles = ShownQuantiles(base);
    row.next_quantiles = ShownQuantiles(next);
    if (!IsFinding(row.verdict)) continue;
    row.object = ObjectChangeOf(row, groups, normalization);
    row.base_lengths = Merged(base);
    row.next_lengths = Merged(next);
    if (row.group && !has_times[*row.group]) {
      has_times[*row.group] = true;
      AddTimes(groups.all()[*row.group], captures, bases, report.groups[*row.group]);
    }
    row.examples =
        row.change > 0 ? ExamplesOf(next, captures, bases) : ExamplesOf(base, captures, 0);
  }
}

}  // namespace comparison
