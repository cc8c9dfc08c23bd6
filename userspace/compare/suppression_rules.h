// SPDX-License-Identifier: BSD-2-Clause
// Suppresses symptoms: findings of a group that follow from another finding of it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "compare/diff_report.h"

namespace comparison {

// Changes of a group besides its rows: new less base, in ms per second, unless said otherwise.
struct SuppressionFacts {
  double latency_after_blocked = 0;  // wakeup latency at the end of waits in D
  double running = 0;
  double runnable = 0;  // waits for a CPU
  double blocked = 0;   // in D
  // Base less new of runnable and blocked, each as far as it is significant: time it now needs for
  // nothing else.
  double slack = 0;
  double latency_log_ratio = 0;    // of all wakeup latency, new to base
  double preempted_log_ratio = 0;  // of all waits after preemptions
  bool slowed = false;             // it is woken less often, or other groups request less
};

// The findings of one group that no other row suppresses yet.
class GroupFindings {
 public:
  using Match = std::function<bool(const ComparisonRow&)>;

  GroupFindings(const std::vector<ComparisonRow>& rows, std::span<const size_t> numbers,
                const SuppressionFacts& facts)
      : rows_(rows), numbers_(numbers), facts_(facts) {}

  const SuppressionFacts& facts() const { return facts_; }
  const ComparisonRow& row(size_t number) const { return rows_[number]; }
  // The number of the finding that matches and has the largest change: of a metric, or of the first
  // metric with one.
  std::optional<size_t> Find(Metric metric, const Match& matches) const;
  std::optional<size_t> Find(const Match& matches) const;
  // The same of the first of `metrics` with a finding whose change has the sign of that of `row`.
  std::optional<size_t> SameDirection(const ComparisonRow& row,
                                      std::span<const Metric> metrics) const;

 private:
  const std::vector<ComparisonRow>& rows_;
  std::span<const size_t> numbers_;
  const SuppressionFacts& facts_;
};

// What a rule says of a finding.
struct Suppression {
  std::optional<size_t> by;  // the row whose symptom it is
  bool drop = false;         // it is neither a finding nor a symptom
};

// SuppressSymptoms() applies the rules in their order to the findings of their metrics.
struct SuppressionRule {
  const char* name;
  std::span<const Metric> metrics;
  const char* reason;
  // The part of the finding's change that the other row or fact explains, at least; 0: not used.
  double part;
  // Where it applies to a row of the group, the rules after it do not.
  bool exclusive;
  Suppression (*apply)(const GroupFindings& findings, const ComparisonRow& row, double part);
};

std::span<const SuppressionRule> SuppressionRules();

// Sets ComparisonRow::suppressed_by and suppression_rule, or the verdict kUnchanged, of those of
// `numbers`, the rows of one group. suppressed_by is a row that is not suppressed itself.
void SuppressSymptoms(std::vector<ComparisonRow>& rows, std::span<const size_t> numbers,
                      const SuppressionFacts& facts);

}  // namespace comparison
