// SPDX-License-Identifier: BSD-2-Clause
// An LbrReport for people and for programs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "analyze/lbr/lbr_report.h"

namespace analyze {

// Parts of the report that can be left out; the totals are always there.
struct LbrSections {
  bool branches = true;      // hottest branches, with their mispredict rate
  bool mispredicted = true;  // those mispredicted most often
  bool blocks = true;        // cycles of the code between two branches
  bool functions = true;     // calls and returns
  bool threads = true;
};

struct LbrReportOptions {
  LbrSections sections;
  size_t top = 20;  // lines of each section; 0: all
};

std::string LbrReportText(const LbrReport& report, const LbrReportOptions& options);
// One object; times in ns, places as text and as module and offset.
std::string LbrReportJson(std::string_view file, const LbrReport& report,
                          const LbrReportOptions& options);

}  // namespace analyze
