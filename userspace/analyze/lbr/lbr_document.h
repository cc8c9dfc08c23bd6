// SPDX-License-Identifier: BSD-2-Clause
// Builds the document of `fxt lbr` from an LbrReport.
#pragma once

#include <cstddef>
#include <string_view>

#include "analyze/document/document.h"
#include "analyze/lbr/lbr_report.h"

namespace analyze {

// Parts of the report that can be left out. The totals are always there.
struct LbrSections {
  bool branches = true;      // most frequent branches, with their misprediction rate
  bool mispredicted = true;  // branches mispredicted most often
  bool blocks = true;        // cycles of the code between two branches
  bool functions = true;     // calls and returns
  bool threads = true;
};

struct LbrReportOptions {
  LbrSections sections;
  size_t top = 20;  // rows of each section; 0: all
};

// Times are in ns. JSON has a place as text and as module and offset.
document::Document LbrDocument(std::string_view file, const LbrReport& report,
                               const LbrReportOptions& options);

}  // namespace analyze
