// SPDX-License-Identifier: BSD-2-Clause
// Sentences for the findings of a comparison.
#pragma once

#include <string>
#include <vector>

#include "compare/diff_report.h"

namespace analyze {

// The sentence about a group's change, without a full stop: "app/worker waits 229 ms per second
// longer until app/expiry lets it go on (a lock)".
std::string SentenceOf(const comparison::DiffReport& report, const comparison::ComparisonRow& row);

// The first sentence: the first finding, with the group that waits longest because of it; or what
// got slower because of others; or that nothing changed.
std::string ConclusionOf(const comparison::DiffReport& report);

// The settings that differ and explain a finding, to follow a sentence; empty if nothing does.
std::string SinceWords(const comparison::DiffReport& report, const comparison::ComparisonRow& row);

// A command that shows the longest instance of a finding; empty where there is none.
std::string NextCommand(const comparison::ComparisonRow& row);

// Lines on what the report is silent about: captures that were disturbed, groups that are not
// judged, differences that are too noisy.
std::vector<std::string> DisturbedWords(const comparison::DiffReport& report);
std::vector<std::string> SilenceWords(const comparison::DiffReport& report);

}  // namespace analyze
