// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/diff/diff_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analyze/diff/row_words.h"
#include "text/clean_text.h"
#include "util/quantity.h"

namespace analyze {
namespace {

using comparison::DiffReport;
using comparison::Row;

// Groups that are not judged, whose changes are shown.
constexpr size_t kOthersShown = 3;

void AppendRow(std::string& out, const DiffReport& report, size_t rank, const Row& row) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "{:2}. {:6} {}: {}\n", rank, NameOf(row.verdict), GroupWords(report, row),
                 MetricWords(row));
  const auto value = [&](double of) { return ValueWords(report, row, of); };
  fmt::format_to(to, "      {} [{} .. {}] → {} [{} .. {}], {}\n", value(row.base.value),
                 value(row.base.low), value(row.base.high), value(row.next.value),
                 value(row.next.low), value(row.next.high), RatioIntervalWords(row));
  fmt::format_to(to, "      {}, q = {:.2g}, n = {} and {}\n", ChangeWords(report, row), row.q,
                 report.base.files.size(), report.next.files.size());
  if (row.caused_by) {
    const Row& cause = report.rows[*row.caused_by];
    fmt::format_to(to, "      a symptom of: {}, {}\n", GroupWords(report, cause),
                   MetricWords(cause));
  }
  const auto causes = CauseWords(report, row);
  for (size_t i = 0; i < causes.size(); ++i) {
    fmt::format_to(to, "      {} {}\n", i == 0 ? "because it" : "      and", causes[i]);
  }
  for (const Row& other : report.rows) {
    if (!other.folded_under || &report.rows[*other.folded_under] != &row) continue;
    if (other.metric == comparison::Metric::kSlice) continue;
    fmt::format_to(to, "      with it: {} {}, {} → {}\n", MetricWords(other),
                   RatioWords(other, other.ratio.value),
                   ValueWords(report, other, other.base.value),
                   ValueWords(report, other, other.next.value));
  }
  if (!row.examples.empty()) {
    const auto& worst = row.examples.front();
    fmt::format_to(to, "      longest: {} in {} at {:.6f} s, thread {}\n",
                   util::FormatDuration(worst.duration_ns), text::CleanText(worst.file),
                   static_cast<double>(worst.since_begin_ns) / 1e9, worst.thread);
  }
}

}  // namespace

std::string DiffText(const DiffReport& report, size_t top) {
  std::string out = SidesWords(report) + "\n";
  auto to = std::back_inserter(out);
  for (const std::string& note : report.notes) {
    fmt::format_to(to, "note: {}\n", text::CleanText(note));
  }
  const auto& ranked = Ranked(report);
  if (ranked.empty()) return out + NothingWords(report) + "\n";
  if (!report.confirmed) {
    fmt::format_to(to, "unconfirmed: three captures a side tell a change from chance\n");
  }
  out += "\n";
  const size_t shown = top == 0 ? ranked.size() : std::min(top, ranked.size());
  for (size_t i = 0; i < shown; ++i) AppendRow(out, report, i + 1, report.rows[ranked[i]]);
  if (shown < ranked.size()) {
    fmt::format_to(to, "and {} more (--top 0)\n", ranked.size() - shown);
  }
  if (!report.others.empty()) {
    out += "\nOther work of the machine, not judged:\n";
    for (size_t i = 0; i < std::min(kOthersShown, report.others.size()); ++i) {
      const Row& row = report.others[i];
      fmt::format_to(to, "  {}: {}, {} → {}\n", GroupWords(report, row), MetricWords(row),
                     ValueWords(report, row, row.base.value),
                     ValueWords(report, row, row.next.value));
    }
  }
  return out;
}

}  // namespace analyze
