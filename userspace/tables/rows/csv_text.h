// SPDX-License-Identifier: BSD-2-Clause
// Writes fields of CSV (RFC 4180).
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace tables {

// A spreadsheet evaluates a text that begins with one of these as a formula.
inline bool IsFormula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
}

// Appends a text, in quotes where necessary; an empty text is "", since NULL is an empty field.
// `safe` puts an apostrophe before a formula, which makes it text in spreadsheets.
inline void AppendCsvText(fmt::memory_buffer& out, std::string_view text, bool safe) {
  const bool guard = safe && IsFormula(text);
  if (!text.empty() && text.find_first_of(",\"\n\r") == std::string_view::npos) {
    if (guard) out.push_back('\'');
    out.append(text);
    return;
  }
  out.push_back('"');
  if (guard) out.push_back('\'');
  for (const char c : text) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
  out.push_back('"');
}

}  // namespace tables
