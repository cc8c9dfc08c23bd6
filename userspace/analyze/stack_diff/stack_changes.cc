// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/stack_diff/stack_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "analyze/diff/row_words.h"
#include "analyze/flame/innermost_frames.h"
#include "compare/statistics/moderated_test.h"
#include "facts/read_loop.h"
#include "measure/group_name.h"
#include "source/input.h"

namespace analyze {
namespace {

using comparison::ComparisonRow;
using comparison::DiffReport;
using comparison::DiffSide;
using comparison::Metric;
using comparison::Statistic;
using facts::WaitsFor;

constexpr double kNsPerMs = 1e6;
// Frames of a stack that a line of text has.
constexpr size_t kShownFrames = 3;

bool HasStack(const ComparisonRow& row) {
  return row.group.has_value() && (row.metric == Metric::kSleep || row.metric == Metric::kBlocked ||
                                   row.metric == Metric::kCpuTime);
}

uint64_t Of(const std::array<uint64_t, facts::kWaitsFor>& times, WaitsFor purpose) {
  return times[static_cast<size_t>(purpose)];
}

// Whether the threads mostly wait for work at a stack.
bool IsIdlePlace(std::span<const StackTime> captures) {
  uint64_t work = 0;
  uint64_t all = 0;
  for (const StackTime& time : captures) {
    work += Of(time.slept, WaitsFor::kWork);
    all += std::accumulate(time.slept.begin(), time.slept.end(), uint64_t{0});
  }
  return work > all / 2;
}

// The row's measure for a stack in one capture: ns, or samples.
uint64_t ValueOf(const StackTime& time, const ComparisonRow& row, bool is_idle_place) {
  if (row.metric == Metric::kCpuTime) return time.samples;
  if (row.metric == Metric::kBlocked) {
    return std::accumulate(time.blocked.begin(), time.blocked.end(), uint64_t{0});
  }
  const uint64_t answers = Of(time.slept, WaitsFor::kAnswer) + Of(time.slept, WaitsFor::kChild);
  const uint64_t locks = Of(time.slept, WaitsFor::kLock);
  if (comparison::IsAnswers(row.statistic)) return answers;
  if (row.statistic == Statistic::kLockRate) return locks;
  uint64_t value = answers + locks + Of(time.slept, WaitsFor::kDevice);
  if (!is_idle_place) {
    value += Of(time.slept, WaitsFor::kTimer) + Of(time.slept, WaitsFor::kUnknown);
  }
  return value;
}

using Values = std::vector<double>;  // by capture

void AddTo(Values& sum, const Values& values) {
  sum.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i) sum[i] += values[i];
}

// The stacks that differ in lines alone: a line may have moved between the sides.
struct SameFunctions {
  Values sum;
  std::vector<std::pair<const StackFrames*, Values>> lines;
};

// The change in the direction of `sign`, less its standard error.
double SureChange(const Values& values, size_t bases, double sign) {
  const std::span all(values);
  const auto base = all.first(bases);
  const auto next = all.subspan(bases);
  const comparison::SampleVariance variance = comparison::PooledVariance(base, next, {});
  const double error = std::sqrt(variance.variance * (1 / static_cast<double>(base.size()) +
                                                      1 / static_cast<double>(next.size())));
  return sign * (comparison::MeanOf(next) - comparison::MeanOf(base)) - error;
}

// Returns false if the file cannot be read.
bool AddCapture(const std::string& file, const GroupNumbers& groups,
                const LbrSymbolOptions& symbols, StackTimes& times) {
  auto source = source::OpenInput(file);
  if (!source) return false;
  fxt::Reader reader(**source);
  times.BeginCapture();
  StackTimesReader stacks(groups, symbols, times);
  facts::ReadRecords(reader, stacks);
  return reader.status() == fxt::ReadStatus::kEnd;
}

}  // namespace

bool MayHaveStacks(const DiffSide& side) {
  return side.categories.find("stack") != std::string::npos ||
         side.categories.find("all") != std::string::npos;
}

std::string_view WithoutLine(std::string_view frame) {
  const size_t open = frame.rfind(" (");
  const size_t colon = frame.rfind(':');
  if (open == std::string_view::npos || colon == std::string_view::npos || colon < open ||
      !frame.ends_with(')') || frame.size() == colon + 2) {
    return frame;
  }
  const std::string_view digits = frame.substr(colon + 1, frame.size() - colon - 2);
  const bool is_line = std::all_of(digits.begin(), digits.end(),
                                   [](char digit) { return digit >= '0' && digit <= '9'; });
  return is_line ? frame.substr(0, open) : frame;
}

StackChange LargestChange(const StackTimes& times, const std::vector<double>& seconds, size_t bases,
                          const ComparisonRow& row, size_t group) {
  const double unit = row.metric == Metric::kCpuTime ? 1 : kNsPerMs;
  const double sign = row.change < 0 ? -1 : 1;
  std::map<std::vector<std::string_view>, SameFunctions> by_functions;
  for (auto entry = times.all().lower_bound({group, {}});
       entry != times.all().end() && entry->first.group == group; ++entry) {
    const bool is_idle_place = IsIdlePlace(entry->second);
    Values values(seconds.size());
    for (size_t i = 0; i < entry->second.size(); ++i) {
      const auto value = static_cast<double>(ValueOf(entry->second[i], row, is_idle_place));
      values[i] = value / unit / seconds[i];
    }
    std::vector<std::string_view> functions;
    for (const uint32_t frame : entry->first.frames) {
      functions.push_back(WithoutLine(times.frames()[frame]));
    }
    SameFunctions& same = by_functions[std::move(functions)];
    AddTo(same.sum, values);
    same.lines.emplace_back(&entry->first.frames, std::move(values));
  }
  const SameFunctions* largest = nullptr;
  double change = 0;
  for (const auto& [functions, same] : by_functions) {
    const double sure = SureChange(same.sum, bases, sign);
    if (sure <= change) continue;
    change = sure;
    largest = &same;
  }
  StackChange found{.of_cpu = row.metric == Metric::kCpuTime, .frames = {}, .innermost = {}};
  if (largest == nullptr) return found;
  const auto shown = std::max_element(
      largest->lines.begin(), largest->lines.end(), [&](const auto& a, const auto& b) {
        return SureChange(a.second, bases, sign) < SureChange(b.second, bases, sign);
      });
  std::vector<NamedFrame> named;
  for (auto frame = shown->first->rbegin(); frame != shown->first->rend(); ++frame) {
    found.frames.push_back(times.frames()[*frame]);
    named.push_back({times.frames()[*frame], times.frames().IsOfCLibrary(*frame)});
  }
  found.innermost = InnermostFrames(named, kShownFrames);
  found.base = comparison::MeanOf(std::span(largest->sum).first(bases));
  found.next = comparison::MeanOf(std::span(largest->sum).subspan(bases));
  return found;
}

FoundStacks FindStackChanges(const DiffReport& report, const LbrSymbolOptions& symbols) {
  FoundStacks found;
  if (!MayHaveStacks(report.base) || !MayHaveStacks(report.next)) return found;
  GroupNumbers base_groups, next_groups;
  for (const size_t number : Ranked(report)) {
    const ComparisonRow& row = report.rows[number];
    if (!HasStack(row)) continue;
    const comparison::DiffGroup& group = report.groups[*row.group];
    const measure::GroupName& former = group.former_name.value_or(group.name);
    for (const auto& [groups, name] :
         {std::pair(&base_groups, &former), std::pair(&next_groups, &group.name)}) {
      (*groups)[{measure::FoldDigits(name->process), measure::FoldDigits(name->thread)}] =
          *row.group;
    }
  }
  if (next_groups.empty()) return found;
  StackTimes times;
  std::vector<double> seconds;
  size_t bases = 0;
  for (const DiffSide* side : {&report.base, &report.next}) {
    const bool is_base = side == &report.base;
    for (size_t i = 0; i < side->files.size(); ++i) {
      const std::string& file = side->files[i];
      if (file == "-" || file.ends_with(".fxs")) continue;
      if (!AddCapture(file, is_base ? base_groups : next_groups, symbols, times)) {
        found.problems.push_back(fmt::format("{}: cannot be read for its stacks", file));
        return found;
      }
      seconds.push_back(report.per_run ? report.seconds_per_run : std::max(1e-9, side->seconds[i]));
      bases += is_base;
    }
  }
  found.left_out = times.left_out();
  if (bases == 0 || bases == seconds.size()) return found;
  for (const size_t number : Ranked(report)) {
    const ComparisonRow& row = report.rows[number];
    if (!HasStack(row)) continue;
    StackChange change = LargestChange(times, seconds, bases, row, *row.group);
    if (!change.frames.empty()) found.changes[&row] = std::move(change);
  }
  return found;
}

}  // namespace analyze
