// SPDX-License-Identifier: BSD-2-Clause
// A Summary for people and for programs.
#pragma once

#include <cstddef>
#include <string>

#include "analyze/show/summary.h"

namespace analyze {

// Lines of text. `top` threads and processes are listed.
std::string SummaryText(const std::string& file, const Summary& summary, size_t top);

// One JSON object, indented. Everything is listed.
std::string SummaryJson(const std::string& file, const Summary& summary);

// Names of diagnostics for programs: "undefined-string".
std::string_view KeyOf(fxt::DiagnosticKind kind);

}  // namespace analyze
