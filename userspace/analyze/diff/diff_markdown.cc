// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/diff/diff_markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "analyze/diff/row_words.h"
#include "text/clean_text.h"

namespace analyze {
namespace {

using comparison::DiffReport;
using comparison::Row;

// A name is text there, whatever is in it.
std::string Plain(std::string_view text) {
  std::string out;
  for (const char c : text::CleanText(text)) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (std::string_view("\\`*_{}[]()#+!|~>@").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string DiffMarkdown(const DiffReport& report, size_t top) {
  std::string out = "### fxt diff\n\n" + Plain(SidesWords(report)) + "\n\n";
  auto to = std::back_inserter(out);
  for (const std::string& note : report.notes) fmt::format_to(to, "- {}\n", Plain(note));
  if (!report.notes.empty()) out += "\n";
  const auto& ranked = Ranked(report);
  if (ranked.empty()) return out + "**" + Plain(NothingWords(report)) + "**\n";
  if (!report.confirmed) {
    out += "**Unconfirmed**: three captures a side tell a change from chance.\n\n";
  }
  out += "| | verdict | group | metric | base | new | change | | q |\n";
  out += "|--:|---|---|---|--:|--:|--:|--:|--:|\n";
  const size_t shown = top == 0 ? ranked.size() : std::min(top, ranked.size());
  for (size_t i = 0; i < shown; ++i) {
    const Row& row = report.rows[ranked[i]];
    fmt::format_to(to, "| {} | {} | {} | {} | {} | {} | {} | {} | {:.2g} |\n", i + 1,
                   NameOf(row.verdict), Plain(GroupWords(report, row)), Plain(MetricWords(row)),
                   ValueWords(report, row, row.base.value), ValueWords(report, row, row.next.value),
                   RatioWords(row, row.ratio.value), ChangeWords(report, row), row.q);
  }
  if (shown < ranked.size())
    fmt::format_to(to, "\n{} more are not shown.\n", ranked.size() - shown);
  bool any = false;
  for (size_t i = 0; i < shown; ++i) {
    const auto causes = CauseWords(report, report.rows[ranked[i]]);
    if (causes.empty()) continue;
    if (!any) out += "\nBecause:\n\n";
    any = true;
    fmt::format_to(to, "- {}:", i + 1);
    for (size_t c = 0; c < causes.size(); ++c) {
      fmt::format_to(to, "{} {}", c == 0 ? "" : ", and", Plain(causes[c]));
    }
    out += "\n";
  }
  return out;
}

}  // namespace analyze
