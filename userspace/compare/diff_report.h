// SPDX-License-Identifier: BSD-2-Clause
// The result of a comparison of two sets of captures.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/request_changes.h"
#include "compare/values/metric.h"
#include "compare/values/setting_differences.h"
#include "facts/timeline/share.h"
#include "measure/capture.h"
#include "measure/histogram.h"

namespace comparison {

enum class Verdict : uint8_t {
  kWorse,
  kBetter,
  kMore,  // of the same kind of work
  kLess,
  kNew,   // a group that the base does not have
  kGone,  // one that the new captures do not have
  kUnchanged,
  kCannotTell,
  kOthers,  // worse, because other work of the machine took the CPU
};
// "worse", "cannot tell".
const char* NameOf(Verdict verdict);
inline bool IsFinding(Verdict verdict) { return verdict < Verdict::kUnchanged; }

// A value with its 95% confidence interval, in the unit of the row.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
};

// A link of the chain from a symptom to its cause.
struct CauseLink {
  enum class Kind : uint8_t {
    kWokenBy,     // it waited until the group woke it
    kHeldCpu,     // it was runnable while the group ran on its CPU
    kInversion,   // the same, and the group had a lower priority
    kInterrupt,   // it waited for a device or a timer, its own timeouts included
    kDoing,       // the metric of the group that grew
    kLetGoBy,     // amid its work it waited until the group let it go on: for a lock
    kAnsweredBy,  // the group of the link before waited for answers of this one
  };
  Kind kind = Kind::kDoing;
  std::optional<size_t> group;  // in DiffReport::groups; none for kInterrupt
  double change = 0;            // ms per second, new less base
  Metric metric = Metric::kCpuTime;
};

struct Example {
  std::string file;
  uint64_t time_ns = 0;  // on the clock of the capture
  uint64_t since_begin_ns = 0;
  uint64_t duration_ns = 0;
  uint64_t thread = 0;  // koid
};

// An object whose sleeps make up at least half of a row's change.
struct ObjectChange {
  measure::WaitedObject object;  // `object` is empty where no single one explains as much
  double change = 0;             // ms per second, new less base
};

// Shown, but not tested: quantiles of equal captures may differ many times.
struct Quantiles {
  std::optional<double> p50;
  std::optional<double> p99;   // from 2,000 waits a capture on
  std::optional<double> p999;  // from 20,000 on
};

// The comparison of a metric of a group.
struct ComparisonRow {
  std::optional<size_t> group;  // in DiffReport::groups; none: the machine, or the command
  Metric metric = Metric::kCpuTime;
  std::optional<size_t> request;  // in DiffReport::requests, of kRequest
  std::string name;               // of the system call, handler or request
  Statistic statistic = Statistic::kCpuRate;
  Estimate base;
  Estimate next;
  Estimate ratio;     // next / base, each with the floor of the statistic added
  double change = 0;  // ms per second, new less base
  double weight = 0;  // in the ranking of findings, ms per second
  double p = 1;
  double q = 1;
  Verdict verdict = Verdict::kCannotTell;
  const char* verdict_rule = nullptr;  // name in VerdictRules()
  // The row of which this one is a symptom. A symptom is not a finding.
  std::optional<size_t> suppressed_by;
  // Name in SuppressionRules() or Attribution::Rules(): of the rule that set suppressed_by, or the
  // verdict kUnchanged.
  const char* suppression_rule = nullptr;
  // The row of another group that caused it, which ranks before it.
  std::optional<size_t> caused_by;
  std::vector<CauseLink> causes;
  // Of the verdict kOthers: the groups out of scope that had the CPU more, largest change first.
  std::vector<CauseLink> others;
  // For rows of kSleep and kBlocked, if category `wait` was recorded.
  std::optional<ObjectChange> object;
  std::vector<Example> examples;  // longest first
  // By capture, in the order of the side's files.
  std::vector<std::optional<double>> base_captures;
  std::vector<std::optional<double>> next_captures;
  // Lengths in all captures of a side, ns; of findings whose metric has them.
  measure::Histogram base_lengths;
  measure::Histogram next_lengths;
  Quantiles base_quantiles;  // us, of metrics that are lengths
  Quantiles next_quantiles;
};

struct DiffGroup {
  // As people read them (measure::Group::shown).
  measure::GroupName name;
  std::optional<measure::GroupName> former_name;  // it was renamed
  bool in_scope = false;  // false: other work of the machine, or the recorder
  bool of_recorder = false;
  bool of_processes = false;  // in each capture, of several processes with a thread each
  // ms per second, mean of the captures, by facts::Share.
  std::array<double, facts::kShares> base_shares{};
  std::array<double, facts::kShares> next_shares{};
  // The limit that throttled it longest on each side.
  std::optional<facts::CpuLimit> base_limit;
  std::optional<facts::CpuLimit> next_limit;
  // Lengths in all captures of a side, by measure::Duration, ns; of groups with a finding.
  std::array<measure::Histogram, measure::kDurations> base_times;
  std::array<measure::Histogram, measure::kDurations> next_times;
};

// The captures of one side.
struct DiffSide {
  std::vector<std::string> files;
  std::vector<double> seconds;  // lengths
  std::string kernel;
  std::string recorder;
  std::string host;
  std::string categories;
  std::string filters;
  std::string command;
  uint32_t cpus = 0;
  uint64_t lost_events = 0;
  uint64_t unseen_switches = 0;
};

// A capture in which other work of the machine had the CPUs.
struct DisturbedCapture {
  std::string file;
  bool is_new = false;
  double share = 0;  // of the CPU time of the machine that other work had, 0 to 1
  double usual = 0;  // the same, median of the side
  std::string by;    // PROCESS/THREAD that had most of it, "" unknown
  bool left_out = false;
};

// A group that is not judged, and wakes threads of the command or is woken by them.
struct UnjudgedPartner {
  size_t group = 0;
  double wakeups = 0;  // both ways, per second or per run: mean of all captures
};

// A difference that these captures do not decide.
struct UndecidedRow {
  size_t row = 0;
  size_t captures = 0;  // a side, that would decide it, if they vary as these do
};

struct DiffReport {
  DiffSide base;
  DiffSide next;
  std::vector<SettingDifference> settings;
  bool comparable = true;               // false: some values are not comparable
  std::vector<std::string> notes;       // differences of the captures, and other restrictions
  bool paired = false;                  // base and new captures were recorded in turns
  bool per_run = false;                 // rates are per run of the command, not per second
  double seconds_per_run = 1;           // mean of all captures
  bool confirmed = false;               // three captures a side, or more
  std::vector<DiffGroup> groups;        // in order of their names
  std::vector<RequestChange> requests;  // the same
  uint64_t requests_left_out = 0;       // of all captures, see measure::Capture
  std::vector<ComparisonRow> rows;      // of groups in scope, the command and the machine
  std::vector<size_t> findings;         // numbers of rows, in rank order
  std::vector<size_t> unconfirmed;      // the same with too few captures to confirm anything
  // Of groups out of scope, largest change first: CPU time, and, where a finding is of waits in D,
  // such waits that grew.
  std::vector<ComparisonRow> others;
  // Rows of the verdict kOthers, largest change first: waits for a CPU that other work of the
  // machine took. They are not among `rows`, and no findings.
  std::vector<ComparisonRow> slower_by_others;
  // What the report says nothing about.
  std::vector<DisturbedCapture> disturbed;
  size_t judged = 0;                      // groups
  std::vector<UnjudgedPartner> partners;  // most wakeups first
  std::vector<UndecidedRow> too_noisy;    // largest change first
  size_t undecided = 0;                   // rows whose interval contains both 10% and no change

  bool worse() const;
};

}  // namespace comparison
