// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/lbr/lbr_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "text/clean_text.h"
#include "util/quantity.h"

namespace analyze {
namespace {

using util::FormatCount;

class Text {
 public:
  Text(const LbrReport& report, size_t top) : report_(report), top_(top == 0 ? SIZE_MAX : top) {}

  void Totals();
  void Branches();
  void Mispredicted();
  void Blocks();
  void Functions();
  void Threads();
  std::string Take() { return std::move(text_); }

 private:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += text::CleanText(fmt::format(format, std::forward<Args>(args)...));
    text_.push_back('\n');
  }
  // A title, the rows that are wanted, and how many there are beyond them. Nothing without rows.
  template <typename Row, typename Print>
  void Section(std::string_view title, std::string_view columns, const std::vector<Row>& rows,
               Print print) {
    if (rows.empty()) return;
    Line("");
    Line("{}", title);
    Line("  {}", columns);
    const size_t shown = std::min(rows.size(), top_);
    for (size_t i = 0; i < shown; ++i) print(rows[i]);
    if (shown < rows.size()) Line("  ... {} more (--top 0)", FormatCount(rows.size() - shown));
  }
  std::string Place(PlaceId id) const { return text::CleanText(report_.places().Text(id)); }
  std::string Edge(const BranchCount& branch) const {
    return fmt::format("{} -> {}", Place(branch.from), Place(branch.to));
  }
  void BranchRow(const BranchCount& branch);

  const LbrReport& report_;
  size_t top_;
  std::string text_;
};

double Percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string Seconds(uint64_t ns) {
  return fmt::format("{}.{:09}", ns / 1'000'000'000, ns % 1'000'000'000);
}

void Text::Totals() {
  const LbrTotals& totals = report_.totals();
  Line("samples        {:>12}{}", FormatCount(totals.samples),
       totals.empty_samples == 0
           ? ""
           : fmt::format("  ({} without a branch)", FormatCount(totals.empty_samples)));
  if (totals.samples == 0) return;
  Line("time           {} to {} s ({})", Seconds(totals.first_time), Seconds(totals.last_time),
       util::FormatDuration(totals.last_time - totals.first_time));
  Line("branches       {:>12}  (at most {} a sample)", FormatCount(totals.branches),
       totals.longest);
  if (totals.unfilled != 0) {
    Line("unfilled slots {:>12}  (not counted as branches)", FormatCount(totals.unfilled));
  }
  const uint64_t judged = totals.mispredicted + totals.predicted;
  if (judged == 0) {
    Line("mispredicted   not told by this CPU");
  } else {
    Line("mispredicted   {:>12}  ({:.2f}%)", FormatCount(totals.mispredicted),
         Percent(totals.mispredicted, judged));
  }
  if (totals.in_transaction != 0) {
    Line("in transaction {:>12}", FormatCount(totals.in_transaction));
  }
  if (totals.aborted != 0) Line("aborts         {:>12}", FormatCount(totals.aborted));
  if (totals.with_cycles == 0) {
    Line("cycles         not counted by this CPU");
  } else {
    Line("with cycles    {:>12}", FormatCount(totals.with_cycles));
  }
  for (size_t i = 1; i < totals.kinds.size(); ++i) {
    if (totals.kinds[i] == 0) continue;
    Line("{:<14} {:>12}", NameOf(static_cast<symbols::BranchKind>(i)),
         FormatCount(totals.kinds[i]));
  }
  if (totals.kinds[0] != 0 && totals.kinds[0] != totals.branches) {
    Line("other kinds    {:>12}  (the executable is not at hand, and the CPU does not say)",
         FormatCount(totals.kinds[0]));
  }
  if (totals.uncounted != 0) {
    Line("left out       {:>12}  (more distinct branches than are told apart)",
         FormatCount(totals.uncounted));
  }
}

void Text::BranchRow(const BranchCount& branch) {
  const uint64_t judged = branch.mispredicted + branch.predicted;
  Line("{:>12} {:>6.2f}% {:>10} {:>7} {:<14} {}", FormatCount(branch.count),
       Percent(branch.count, report_.totals().branches), FormatCount(branch.mispredicted),
       judged == 0 ? "-" : fmt::format("{:.2f}%", 100 * branch.mispredict_rate()),
       branch.kind == symbols::BranchKind::kUnknown ? "-" : NameOf(branch.kind), Edge(branch));
}

constexpr std::string_view kBranchColumns =
    "     count   share    mispred    rate kind           branch";

void Text::Branches() {
  Section("hottest branches", kBranchColumns, report_.Branches(),
          [this](const BranchCount& branch) { BranchRow(branch); });
}

void Text::Mispredicted() {
  Section("most mispredicted branches", kBranchColumns, report_.MispredictedBranches(),
          [this](const BranchCount& branch) { BranchRow(branch); });
}

void Text::Blocks() {
  Section("cycles between branches (of a basic block, where every branch is recorded)",
          "    cycles      count   average    least     most   bytes from .. last branch",
          report_.Blocks(), [this](const BlockCount& block) {
            Line("{:>12} {:>10} {:>9.1f} {:>8} {:>8} {:>7} {} .. {}", FormatCount(block.cycles),
                 FormatCount(block.count),
                 static_cast<double>(block.cycles) / static_cast<double>(block.count), block.least,
                 block.most, block.bytes, Place(block.first), Place(block.last));
          });
}

void Text::Functions() {
  Section("functions", "   calls in    returns  calls out    entries function", report_.Functions(),
          [this](const FunctionCount& f) {
            Line("{:>12} {:>10} {:>10} {:>10} {}", FormatCount(f.calls), FormatCount(f.returns),
                 FormatCount(f.calls_made), FormatCount(f.entries),
                 text::CleanText(report_.places().FunctionText(f.function)));
          });
}

void Text::Threads() {
  Section("threads", "   samples   branches  mispred thread", report_.Threads(),
          [this](const ThreadCount& thread) {
            Line("{:>12} {:>10} {:>7.2f}% {} [{}/{}]", FormatCount(thread.samples),
                 FormatCount(thread.branches), Percent(thread.mispredicted, thread.judged),
                 thread.name.empty() ? "?" : text::CleanText(thread.name),
                 static_cast<int32_t>(thread.pid), static_cast<int32_t>(thread.tid));
          });
}

}  // namespace

std::string LbrReportText(const LbrReport& report, const LbrReportOptions& options) {
  Text text(report, options.top);
  text.Totals();
  if (options.sections.branches) text.Branches();
  if (options.sections.mispredicted) text.Mispredicted();
  if (options.sections.blocks) text.Blocks();
  if (options.sections.functions) text.Functions();
  if (options.sections.threads) text.Threads();
  return text.Take();
}

}  // namespace analyze
