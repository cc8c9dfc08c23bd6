// SPDX-License-Identifier: BSD-2-Clause
// A Overview for people and for programs.
#pragma once

#include <cstddef>
#include <string>

#include "analyze/show/overview.h"

namespace analyze {

// Lines of text. `top` threads and processes are listed.
std::string OverviewText(const std::string& file, const Overview& overview, size_t top);

// One JSON object, indented. Everything is listed.
std::string OverviewJson(const std::string& file, const Overview& overview);

// Lines of text with all settings, by scope and subject, each with its last value; earlier ones
// stand behind it.
std::string SettingsText(const std::string& file, const Overview& overview);

// Names of diagnostics for programs: "undefined-string".
std::string_view KeyOf(fxt::DiagnosticKind kind);

}  // namespace analyze
