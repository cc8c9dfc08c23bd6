// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/diff/row_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string_view>

#include "analyze/diff/request_words.h"
#include "analyze/document/limit_words.h"
#include "text/clean_text.h"

namespace analyze {
namespace {

using comparison::CauseLink;
using comparison::ComparisonRow;
using comparison::DiffReport;
using comparison::Metric;
using comparison::Statistic;
using comparison::StatisticUnit;

const char* WordsOf(Metric metric) {
  switch (metric) {
    case Metric::kCpuTime:
      return "CPU time";
    case Metric::kSlice:
      return "time slice";
    case Metric::kWakeupLatency:
      return "waited for a CPU after wakeup";
    case Metric::kPreemptedWait:
      return "preempted";
    case Metric::kSleep:
      return "sleeps";
    case Metric::kBlocked:
      return "D-state waits";
    case Metric::kThrottled:
      return "throttled";
    case Metric::kAffinity:
      return "wait beside an idle CPU that it may not use";
    case Metric::kWeight:
      return "wait behind a greater weight";
    case Metric::kRtThrottled:
      return "real-time throttling";
    case Metric::kSwitches:
      return "switches";
    case Metric::kWakeups:
      return "wakeups";
    case Metric::kMigrations:
      return "migrations";
    case Metric::kForks:
      return "forks";
    case Metric::kIrqTime:
    case Metric::kSoftirqTime:
      return "time in";
    case Metric::kSyscallTime:
      return "time in system call";
    case Metric::kInversion:
      return "priority inversion";
    case Metric::kUnconserved:
      return "wait beside an idle CPU";
    case Metric::kElapsed:
      return "elapsed time";
    case Metric::kMachine:
      return "load";
    case Metric::kRequest:
      return "time";
  }
  return "";
}

const char* WordsOf(Statistic statistic) {
  switch (statistic) {
    case Statistic::kCpuPerWakeup:
      return " per wakeup";
    case Statistic::kSliceTypical:
    case Statistic::kLatencyTypical:
    case Statistic::kPreemptedTypical:
      return ", geometric mean";
    case Statistic::kLatencyMean:
      return ", mean";
    case Statistic::kLatencyRunnable:
    case Statistic::kPreemptedRunnable:
      return ", with all waits for a CPU";
    case Statistic::kRequestP50:
      return " at p50";
    case Statistic::kRequestMean:
      return ", mean";
    case Statistic::kRequestP90:
      return " at p90";
    case Statistic::kRequestP99:
      return " at p99";
    case Statistic::kProcessRate:
      return " of processes";
    case Statistic::kThreadRate:
      return " of threads";
    default:
      return "";
  }
}

// Rows whose title is not the metric's with a suffix.
std::optional<std::string> WholeWordsOf(const DiffReport& report, Statistic statistic) {
  switch (statistic) {
    case Statistic::kSleepExcessP25:
      return "sleeps (> p25)";
    case Statistic::kSleepExcessP50:
      return "longer sleeps (> p50)";
    case Statistic::kSleepExcessP90:
      return "long sleeps (> p90)";
    case Statistic::kSleepExcessP99:
      return "longest sleeps (> p99)";
    case Statistic::kSleepForThreads:
      return "sleeps that a thread ends";
    case Statistic::kAnswerP50:
      return "waits for an answer, p50";
    case Statistic::kAnswerMean:
      return "waits for an answer, mean";
    case Statistic::kLockRate:
      return "waits for a lock";
    case Statistic::kPauseRate:
      return "sleeps amid work";
    case Statistic::kBlockedCount:
      return fmt::format("D-state waits per {}", report.per_run ? "run" : "second");
    default:
      return std::nullopt;
  }
}

const char* Per(const DiffReport& report) { return report.per_run ? "run" : "s"; }

std::string NameWords(const measure::GroupName& name) {
  if (name.process == name.thread) return text::CleanText(name.process);
  return text::CleanText(name.process) + "/" + text::CleanText(name.thread);
}

std::string MsWords(const DiffReport& report, double change) {
  return fmt::format(
      "{} ms/{}", NumberWords(change * (report.per_run ? report.seconds_per_run : 1)), Per(report));
}

std::string LinkWords(const DiffReport& report, const ComparisonRow& row, const CauseLink& cause) {
  const std::string name = cause.group ? GroupWords(report, *cause.group) : "";
  const bool itself = cause.group && cause.group == row.group;
  const std::string change = fmt::format("{} {}", MsWords(report, std::abs(cause.change)),
                                         cause.change < 0 ? "less" : "more");
  switch (cause.kind) {
    case CauseLink::Kind::kWokenBy:
      return fmt::format("waited {} for {}", change, itself ? "threads of its own" : name);
    case CauseLink::Kind::kHeldCpu:
      return fmt::format("waited {} while {} had the CPU", change,
                         itself ? "threads of its own" : name);
    case CauseLink::Kind::kInversion:
      return fmt::format("waited {} while {}, of lower priority, had the CPU", change, name);
    case CauseLink::Kind::kInterrupt:
      return fmt::format("waited {} for a timer or a device", change);
    case CauseLink::Kind::kLetGoBy:
      return fmt::format("waited {} until {} let it go on", change,
                         itself ? "threads of its own" : name);
    case CauseLink::Kind::kAnsweredBy:
      return fmt::format("that one waited {} for answers of {}", change, name);
    case CauseLink::Kind::kDoing:
      return fmt::format("{} had {} {}", name, change, WordsOf(cause.metric));
  }
  return "";
}

}  // namespace

std::string NumberWords(double value) {
  const double size = std::abs(value);
  if (size >= 100 || size == 0) return fmt::format("{:.0f}", value);
  if (size >= 10) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

std::string GroupWords(const DiffReport& report, size_t group) {
  const comparison::DiffGroup& of = report.groups[group];
  if (of.former_name) return NameWords(*of.former_name) + " → " + NameWords(of.name);
  return NameWords(of.name);
}

std::string GroupWords(const DiffReport& report, const ComparisonRow& row) {
  if (row.group) return GroupWords(report, *row.group);
  if (row.request) return "request " + text::CleanText(row.name);
  return row.metric == Metric::kElapsed ? "the command" : "the machine";
}

std::string MetricWords(const DiffReport& report, const ComparisonRow& row) {
  std::string words = WholeWordsOf(report, row.statistic)
                          .value_or(std::string(WordsOf(row.metric)) + WordsOf(row.statistic));
  if (!row.name.empty() && !row.request) words += " " + text::CleanText(row.name);
  return words;
}

std::string ValueWords(const DiffReport& report, const ComparisonRow& row, double value) {
  const double run = report.per_run ? report.seconds_per_run : 1;
  switch (InfoOf(row.statistic).unit) {
    case StatisticUnit::kMsPerSecond:
      return row.metric == Metric::kMachine
                 ? fmt::format("{} ms/s", NumberWords(value))
                 : fmt::format("{} ms/{}", NumberWords(value * run), Per(report));
    case StatisticUnit::kPerSecond:
      return fmt::format("{}/{}", NumberWords(value * run), Per(report));
    case StatisticUnit::kMicroseconds:
      return value >= 10'000 ? fmt::format("{} ms", NumberWords(value / 1e3))
                             : fmt::format("{} us", NumberWords(value));
    case StatisticUnit::kMilliseconds:
      return value >= 10'000 ? fmt::format("{} s", NumberWords(value / 1e3))
                             : fmt::format("{} ms", NumberWords(value));
  }
  return "";
}

std::string ChangeWords(const DiffReport& report, const ComparisonRow& row) {
  const char* sign = row.change > 0 ? "+" : "";
  // The change in ms per second of a run would repeat the ratio.
  if (row.metric == Metric::kElapsed) {
    const double more = row.next.value - row.base.value;
    return (more < 0 ? "-" : sign) + ValueWords(report, row, std::abs(more));
  }
  if (row.metric == Metric::kRequest) {
    const double more = row.next.value - row.base.value;
    return (more < 0 ? "-" : "+") + ValueWords(report, row, std::abs(more));
  }
  if (row.metric == Metric::kMachine)
    return fmt::format("{}{} ms/s", sign, NumberWords(row.change));
  return sign + MsWords(report, row.change);
}

std::string RatioWords(const ComparisonRow& row, double ratio) {
  const double floor = InfoOf(row.statistic).floor;
  if (row.base.value < floor / 10 && ratio > 2) return "from nothing";
  if (row.next.value < floor / 10 && ratio < 0.5) return "to nothing";
  if (ratio >= 2) return fmt::format("x{}", NumberWords(ratio));
  return fmt::format("{:+.0f}%", 100 * (ratio - 1));
}

std::string RatioIntervalWords(const ComparisonRow& row) {
  const std::string ratio = RatioWords(row, row.ratio.value);
  if (ratio.ends_with("nothing")) return ratio;
  return fmt::format("{} [{} .. {}]", ratio, RatioWords(row, row.ratio.low),
                     RatioWords(row, row.ratio.high));
}

std::vector<std::string> CauseWords(const DiffReport& report, const ComparisonRow& row) {
  std::vector<std::string> words;
  if (row.request) return PartChangeWords(report.requests[*row.request], row);
  const bool by_others = row.verdict == comparison::Verdict::kOthers;
  for (const CauseLink& cause : by_others ? row.others : row.causes) {
    words.push_back(LinkWords(report, row, cause));
  }
  return words;
}

std::string ObjectWords(const ComparisonRow& row) {
  if (!row.object) return "";
  const measure::WaitedObject& object = row.object->object;
  // Kinds that the call says already.
  constexpr std::string_view kPlain[] = {"file", "futex", "sleep", "child", "signal", "poll"};
  const bool is_plain =
      std::find(std::begin(kPlain), std::end(kPlain), object.kind) != std::end(kPlain);
  const bool has_kind = object.syscall.empty() || !is_plain;
  const std::string name = text::CleanText(!object.object.empty() ? object.object
                                           : has_kind             ? object.kind
                                                                  : "");
  if (object.syscall.empty()) return name.empty() ? "" : "in " + name;
  const std::string call = "in " + text::CleanText(object.syscall);
  return name.empty() ? call : fmt::format("{} ({})", call, name);
}

std::string LimitChangeWords(const DiffReport& report, const ComparisonRow& row) {
  if (row.metric != Metric::kThrottled || !row.group) return "";
  const comparison::DiffGroup& group = report.groups[*row.group];
  const auto words = [](const std::optional<facts::CpuLimit>& limit) {
    return limit ? LimitWords(limit->cgroup, limit->quota_ns, limit->period_ns) : "not throttled";
  };
  const std::string amount = ValueWords(report, row, row.next.value);
  if (group.base_limit == group.next_limit) {
    return fmt::format("is throttled {}: {}", amount, words(group.next_limit));
  }
  return fmt::format("is throttled {}: {} (was: {})", amount, words(group.next_limit),
                     words(group.base_limit));
}

std::string SidesWords(const DiffReport& report) {
  const auto side = [](const comparison::DiffSide& of) {
    const double seconds = std::accumulate(of.seconds.begin(), of.seconds.end(), 0.0) /
                           static_cast<double>(std::max<size_t>(1, of.seconds.size()));
    return fmt::format("{} capture{} of {} s", of.files.size(), of.files.size() == 1 ? "" : "s",
                       NumberWords(seconds));
  };
  return fmt::format("{} against {}{}{}", side(report.base), side(report.next),
                     report.paired ? ", interleaved" : "",
                     report.per_run ? "; rates are per run of the command" : "");
}

const std::vector<size_t>& Ranked(const DiffReport& report) {
  return report.confirmed ? report.findings : report.unconfirmed;
}

std::string NothingWords(const DiffReport& report) {
  return fmt::format("nothing changed by 10% or more ({} of {} are undecided)", report.undecided,
                     report.rows.size());
}

}  // namespace analyze
