// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/diff/diff_junit.h"

#include <iterator>
#include <string_view>

#include "analyze/diff/row_words.h"
#include "text/clean_text.h"
#include "util/format_library.h"

namespace analyze {
namespace {

using comparison::ComparisonRow;
using comparison::DiffReport;
using comparison::Verdict;

std::string Quoted(std::string_view text) {
  std::string out;
  const std::string clean = text::CleanText(text);
  for (size_t i = 0; i < clean.size(); ++i) {
    // XML does not allow U+FFFE and U+FFFF.
    if (clean.compare(i, 2, "\xef\xbf") == 0 && static_cast<uint8_t>(clean[i + 2]) >= 0xbe) {
      out += clean[i + 2] == '\xbe' ? "\\ufffe" : "\\uffff";
      i += 2;
      continue;
    }
    switch (const char c = clean[i]) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

bool Failed(const DiffReport& report, const ComparisonRow& row) {
  return report.confirmed && row.verdict == Verdict::kWorse && !row.suppressed_by;
}

bool Skipped(const DiffReport& report, const ComparisonRow& row) {
  return row.verdict == Verdict::kCannotTell || (!report.confirmed && IsFinding(row.verdict));
}

}  // namespace

std::string DiffJunit(const DiffReport& report) {
  size_t failures = 0;
  size_t skipped = 0;
  for (const ComparisonRow& row : report.rows) {
    failures += Failed(report, row);
    skipped += Skipped(report, row);
  }
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  auto to = std::back_inserter(out);
  fmt::format_to(to,
                 "<testsuites tests=\"{0}\" failures=\"{1}\" skipped=\"{2}\">\n"
                 "  <testsuite name=\"fxt diff\" tests=\"{0}\" failures=\"{1}\" skipped=\"{2}\">\n",
                 report.rows.size(), failures, skipped);
  for (const ComparisonRow& row : report.rows) {
    fmt::format_to(to, "    <testcase classname=\"{}\" name=\"{}\"",
                   Quoted(GroupWords(report, row)), Quoted(MetricWords(report, row)));
    const std::string values =
        fmt::format("{} → {}, {}, {}, q = {:.2g}", ValueWords(report, row, row.base.value),
                    ValueWords(report, row, row.next.value), RatioWords(row, row.ratio.value),
                    ChangeWords(report, row), row.q);
    if (Failed(report, row)) {
      fmt::format_to(to, ">\n      <failure message=\"worse: {}\">", Quoted(values));
      for (const std::string& cause : CauseWords(report, row)) {
        fmt::format_to(to, "{}\n", Quoted(cause));
      }
      out += "</failure>\n    </testcase>\n";
    } else if (Skipped(report, row)) {
      fmt::format_to(to, ">\n      <skipped message=\"cannot tell: {}\"/>\n    </testcase>\n",
                     Quoted(values));
    } else {
      out += "/>\n";
    }
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace analyze
