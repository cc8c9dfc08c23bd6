// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/lbr/lbr_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "util/quantity.h"

namespace analyze {
namespace {

using document::Column;
using document::Document;
using document::Field;
using document::OnOwnLine;
using document::Section;
using document::Table;
using document::Unit;
using document::Value;
using util::FormatCount;

constexpr uint32_t kNoIndex = UINT32_MAX;

double Percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string Seconds(uint64_t ns) {
  return fmt::format("{}.{:09}", ns / 1'000'000'000, ns % 1'000'000'000);
}

Value NullIfZero(uint64_t value) { return value == 0 ? Value() : Value(value); }

Column Count(std::string head, std::string key, int width) {
  return {.head = std::move(head), .key = std::move(key), .unit = Unit::kCount, .width = width};
}
Column Number(std::string head, std::string key, int width) {
  return {.head = std::move(head), .key = std::move(key), .width = width};
}
Column Name(std::string head) { return {.head = std::move(head), .left = true}; }
// A column of JSON alone.
Column Key(std::string key) { return {.head = "", .key = std::move(key)}; }

class LbrBuilder {
 public:
  LbrBuilder(const LbrReport& report, size_t top)
      : report_(report), places_(report.places()), top_(top == 0 ? SIZE_MAX : top) {}

  Document Build(std::string_view file, const LbrSections& sections) {
    AddTotals(file);
    if (sections.branches) {
      AddBranches("hottest branches", "hottest_branches", report_.Branches());
    }
    if (sections.mispredicted) {
      AddBranches("most mispredicted branches", "mispredicted_branches",
                  report_.MispredictedBranches());
    }
    if (sections.blocks) AddBlocks();
    if (sections.functions) AddFunctions();
    if (sections.threads) AddThreads();
    Value problems(Value::List{});
    for (const std::string& problem : places_.Problems()) problems.Append(OnOwnLine(problem));
    document_.AddSection().Add(Field{.label = "", .key = "without_symbols", .value = problems});
    return std::move(document_);
  }

 private:
  void AddTotals(std::string_view file) {
    const LbrTotals& totals = report_.totals();
    Section& section = document_.AddSection();
    const auto data = [&](const char* key, Value value) {
      section.Add(Field{.label = "", .key = key, .value = std::move(value)});
    };
    // Text has a line for it if `shown`.
    const auto count = [&](bool shown, const char* label, const char* key, uint64_t value,
                           std::string note = "") {
      section.Add(Field{.label = shown ? label : "",
                        .key = key,
                        .value = value,
                        .unit = Unit::kCount,
                        .note = std::move(note)});
    };
    const auto line = [&](const char* label, std::string text) {
      section.Add(Field{.label = label, .key = "", .value = std::move(text)});
    };
    const bool any = totals.samples != 0;
    data("file", file);
    count(true, "samples", "samples", totals.samples,
          totals.empty_samples == 0
              ? ""
              : fmt::format("{} without a branch", FormatCount(totals.empty_samples)));
    data("empty_samples", totals.empty_samples);
    if (any) {
      line("time", fmt::format("{} to {} s of its clock ({})", Seconds(totals.first_time),
                               Seconds(totals.last_time),
                               util::FormatDuration(totals.last_time - totals.first_time)));
      data("first_time_ns", totals.first_time);
      data("last_time_ns", totals.last_time);
    }
    count(any, "branches", "branches", totals.branches,
          fmt::format("at most {} a sample", totals.longest));
    count(any && totals.unfilled != 0, "unfilled slots", "unfilled", totals.unfilled,
          "not counted as branches");
    data("longest_stack", totals.longest);
    const uint64_t judged = totals.mispredicted + totals.predicted;
    if (any && judged == 0) line("mispredicted", "not reported by this CPU");
    count(any && judged != 0, "mispredicted", "mispredicted", totals.mispredicted,
          fmt::format("{:.2f}%", Percent(totals.mispredicted, judged)));
    data("predicted", totals.predicted);
    count(any && totals.in_transaction != 0, "in transaction", "in_transaction",
          totals.in_transaction);
    count(any && totals.aborted != 0, "aborts", "aborted", totals.aborted);
    if (any && totals.with_cycles == 0) line("cycles", "not counted by this CPU");
    count(any && totals.with_cycles != 0, "with cycles", "with_cycles", totals.with_cycles);
    data("uncounted", totals.uncounted);
    AddKinds(section, any);
    if (any && totals.uncounted != 0) {
      count(true, "left out", "", totals.uncounted,
            "more distinct branches than are counted apart");
    }
  }

  void AddKinds(Section& section, bool shown) {
    const auto& kinds = report_.totals().kinds;
    Value by_kind(Value::Object{});
    for (size_t i = 0; i < kinds.size(); ++i) {
      if (kinds[i] != 0) by_kind.Set(NameOf(static_cast<symbols::BranchKind>(i)), kinds[i]);
    }
    section.Add(Field{.label = "", .key = "kinds", .value = std::move(by_kind)});
    if (!shown) return;
    const auto count = [&](std::string label, uint64_t value, std::string note = "") {
      section.Add(Field{.label = std::move(label),
                        .key = "",
                        .value = value,
                        .unit = Unit::kCount,
                        .note = std::move(note)});
    };
    for (size_t i = 1; i < kinds.size(); ++i) {
      if (kinds[i] != 0) count(std::string(NameOf(static_cast<symbols::BranchKind>(i))), kinds[i]);
    }
    if (kinds[0] != 0 && kinds[0] != report_.totals().branches) {
      count("other kinds", kinds[0],
            "the executable is not available, and the CPU does not report them");
    }
  }

  // A section with the first rows of `items`.
  template <typename Item, typename Cells>
  void AddTable(std::string title, std::string key, std::vector<Column> columns,
                const std::vector<Item>& items, Cells&& cells) {
    Table table{.key = std::move(key), .columns = std::move(columns), .rows = {}, .counted = true};
    const size_t shown = std::min(items.size(), top_);
    for (size_t i = 0; i < shown; ++i) table.rows.push_back(cells(items[i]));
    table.omitted = items.size() - shown;
    Section& section = document_.AddSection(items.empty() ? "" : std::move(title));
    section.Add(std::move(table));
  }

  void AddBranches(const char* title, const char* key, const std::vector<BranchCount>& branches) {
    std::vector<Column> columns = {
        Count("count", "count", 12),
        {.head = "share", .unit = Unit::kPercent, .decimals = 2, .width = 7},
        Count("mispred", "mispredicted", 10),
        Key("predicted"),
        {.head = "rate",
         .key = "mispredict_rate",
         .unit = Unit::kFraction,
         .decimals = 2,
         .width = 7},
        {.head = "", .key = "in_transaction", .omit_null = true},
        {.head = "", .key = "aborted", .omit_null = true},
        {.head = "kind", .width = 14, .left = true},
        Key("kind"),
        Name("branch"),
        Key("from"),
        Key("to")};
    AddTable(title, key, std::move(columns), branches, [&](const BranchCount& branch) {
      const bool judged = branch.mispredicted + branch.predicted != 0;
      const std::string_view kind = NameOf(branch.kind);
      return std::vector<Value>{
          branch.count,
          Percent(branch.count, report_.totals().branches),
          branch.mispredicted,
          branch.predicted,
          judged ? Value(branch.mispredict_rate()) : Value(),
          NullIfZero(branch.in_transaction),
          NullIfZero(branch.aborted),
          branch.kind == symbols::BranchKind::kUnknown ? std::string_view("-") : kind,
          kind,
          fmt::format("{} -> {}", places_.Text(branch.from), places_.Text(branch.to)),
          PlaceOf(branch.from),
          PlaceOf(branch.to)};
    });
  }

  void AddBlocks() {
    std::vector<Column> columns = {Count("cycles", "cycles", 12),
                                   Count("count", "count", 10),
                                   {.head = "average", .decimals = 1, .width = 9},
                                   Number("least", "least", 8),
                                   Number("most", "most", 8),
                                   Number("bytes", "bytes", 7),
                                   Name("from .. last branch"),
                                   Key("first"),
                                   Key("last")};
    AddTable("cycles between branches (of a basic block, where every branch is recorded)", "blocks",
             std::move(columns), report_.Blocks(), [&](const BlockCount& block) {
               return std::vector<Value>{
                   block.cycles,
                   block.count,
                   static_cast<double>(block.cycles) / static_cast<double>(block.count),
                   block.least,
                   block.most,
                   block.bytes,
                   fmt::format("{} .. {}", places_.Text(block.first), places_.Text(block.last)),
                   PlaceOf(block.first),
                   PlaceOf(block.last)};
             });
  }

  void AddFunctions() {
    std::vector<Column> columns = {Key("function"),
                                   {.head = "", .key = "module", .omit_null = true},
                                   Count("calls in", "calls", 12),
                                   Count("returns", "returns", 10),
                                   Count("calls out", "calls_made", 10),
                                   Count("entries", "entries", 10),
                                   Name("function")};
    AddTable("functions", "functions", std::move(columns), report_.Functions(),
             [&](const FunctionCount& function) {
               const uint32_t module = places_.function_module(function.function);
               return std::vector<Value>{
                   places_.function_name(function.function),
                   module == kNoIndex ? Value() : Value(places_.module_name(module)),
                   function.calls,
                   function.returns,
                   function.calls_made,
                   function.entries,
                   places_.FunctionText(function.function)};
             });
  }

  void AddThreads() {
    std::vector<Column> columns = {
        Key("pid"),
        Key("tid"),
        Key("name"),
        Count("samples", "samples", 12),
        Count("branches", "branches", 10),
        Key("mispredicted"),
        Key("judged"),
        {.head = "mispred", .unit = Unit::kPercent, .decimals = 2, .width = 8},
        Name("thread")};
    AddTable("threads", "threads", std::move(columns), report_.Threads(),
             [](const ThreadCount& thread) {
               const auto pid = static_cast<int32_t>(thread.pid);
               const auto tid = static_cast<int32_t>(thread.tid);
               return std::vector<Value>{
                   pid,
                   tid,
                   thread.name,
                   thread.samples,
                   thread.branches,
                   thread.mispredicted,
                   thread.judged,
                   Percent(thread.mispredicted, thread.judged),
                   fmt::format("{} [{}/{}]", thread.name.empty() ? "?" : thread.name, pid, tid)};
             });
  }

  Value PlaceOf(PlaceId id) const {
    const Place& place = places_.place(id);
    Value value(Value::Object{{"text", places_.Text(id)}});
    if (place.module != kNoIndex) value.Set("module", places_.module_name(place.module));
    value.Set(place.module == kNoIndex ? "address" : "offset", Value::Hex{place.offset});
    if (place.function != kNoIndex) {
      value.Set("function", places_.function_name(place.function));
      value.Set("function_offset", uint64_t{place.function_offset});
    }
    return value;
  }

  const LbrReport& report_;
  const LbrPlaces& places_;
  size_t top_;
  Document document_;
};

}  // namespace

document::Document LbrDocument(std::string_view file, const LbrReport& report,
                               const LbrReportOptions& options) {
  return LbrBuilder(report, options.top).Build(file, options.sections);
}

}  // namespace analyze
