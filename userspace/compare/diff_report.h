// SPDX-License-Identifier: BSD-2-Clause
// What a comparison of two sets of captures came to: all that its writers (terminal, JSON,
// Markdown, JUnit, HTML) know.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/values/metric.h"
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
};
// "worse", "cannot tell".
const char* NameOf(Verdict verdict);
inline bool IsFinding(Verdict verdict) { return verdict < Verdict::kUnchanged; }

// A value and where it is with 95% confidence, in the unit of the row.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
};

// A link of a chain from a symptom to what caused it.
struct Cause {
  enum class Kind : uint8_t {
    kWokenBy,    // it waited until the other one woke it
    kHeldCpu,    // it could have run, and the other one ran on its CPU
    kInversion,  // the same, and the other one had a lower priority
    kInterrupt,  // it waited for a device or a timer, its own timeout too
    kDoing,      // what became longer for that one: `metric`
  };
  Kind kind = Kind::kDoing;
  std::optional<size_t> group;  // in DiffReport::groups; none for kInterrupt
  double change = 0;            // ms per second, new less base
  Metric metric = Metric::kCpuTime;
};

struct Example {
  std::string file;
  uint64_t time_ns = 0;         // of the capture's clock
  uint64_t since_begin_ns = 0;  // of the capture
  uint64_t duration_ns = 0;
  uint64_t thread = 0;  // koid
};

// For show, not tested: quantiles of equal captures may differ many times.
struct Quantiles {
  std::optional<double> half;
  std::optional<double> hundredth;   // from 2,000 waits a capture on
  std::optional<double> thousandth;  // from 20,000 on
};

// A metric of a group.
struct Row {
  std::optional<size_t> group;  // in DiffReport::groups; none: the machine, or the command
  Metric metric = Metric::kCpuTime;
  std::string name;  // of the system call or handler
  Statistic statistic = Statistic::kCpuRate;
  Estimate base;
  Estimate next;
  Estimate ratio;     // next / base, each with the floor of the statistic added
  double change = 0;  // ms per second, new less base
  double weight = 0;  // of a finding in the ranking, ms per second
  double p = 1;
  double q = 1;
  Verdict verdict = Verdict::kCannotTell;
  // The row of whose change this one is a symptom: it is no finding then.
  std::optional<size_t> folded_under;
  // The row of another group that caused it, which stands before it.
  std::optional<size_t> caused_by;
  std::vector<Cause> because;
  std::vector<Example> examples;  // longest first
  // By capture, in the order of the side's files.
  std::vector<std::optional<double>> base_captures;
  std::vector<std::optional<double>> next_captures;
  // Of findings whose metric has lengths: all of the side's captures together, ns.
  measure::Histogram base_lengths;
  measure::Histogram next_lengths;
  Quantiles base_quantiles;  // us, of metrics that are lengths
  Quantiles next_quantiles;
};

struct DiffGroup {
  measure::GroupName name;
  std::optional<measure::GroupName> former_name;  // it was renamed
  bool judged = false;  // false: other work of the machine, or the recorder
  bool of_recorder = false;
  // ms per second, mean of the captures, by facts::Share.
  std::array<double, facts::kShares> base_shares{};
  std::array<double, facts::kShares> next_shares{};
  // Of groups that have a finding, by measure::Duration: all of the side's captures together, ns.
  std::array<measure::Histogram, measure::kDurations> base_times;
  std::array<measure::Histogram, measure::kDurations> next_times;
};

// One side.
struct DiffSide {
  std::vector<std::string> files;
  std::vector<double> seconds;  // length of each
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

struct DiffReport {
  DiffSide base;
  DiffSide next;
  bool comparable = true;           // false: some of it could not be compared
  std::vector<std::string> notes;   // what differs, and what else there is to know
  bool paired = false;              // recorded in turns
  bool per_run = false;             // rates are per run of the command, not per second
  double seconds_per_run = 1;       // mean of all captures
  bool confirmed = false;           // three captures a side, or more
  std::vector<DiffGroup> groups;    // in order of their names
  std::vector<Row> rows;            // of judged groups, the command and the machine
  std::vector<size_t> findings;     // numbers of rows, in rank order
  std::vector<size_t> unconfirmed;  // the same where there are too few captures to be sure
  std::vector<Row> others;          // CPU time of groups that are not judged, largest change first
  size_t untold = 0;                // rows that could have changed by 10% or not

  bool worse() const;
};

}  // namespace comparison
