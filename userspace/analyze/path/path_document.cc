// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/path/path_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "analyze/document/render.h"
#include "text/clean_text.h"

namespace analyze {
namespace {

using Names = path::PartText::Names;

using document::Column;
using document::Document;
using document::Line;
using document::Notes;
using document::Section;
using document::Table;
using document::Value;
using Entry = PathSet::Entry;

// Waterfalls with more parts sum up those of less than 1/kShort of the request.
constexpr size_t kLines = 60;
constexpr uint64_t kShort = 200;

// Milliseconds, to the nanosecond: lines of a waterfall add up exactly.
std::string ExactMs(uint64_t ns) { return fmt::format("{}.{:06}", ns / 1'000'000, ns % 1'000'000); }
std::string Ms(double ns) { return fmt::format("{:.3f}", ns / 1e6); }
std::string SignedMs(double ns) { return fmt::format("{:+.3f}", ns / 1e6); }

// As wide as their cells.
Table Fitted(Table table) {
  for (size_t i = 0; i < table.columns.size(); ++i) {
    size_t width = table.columns[i].head.size();
    for (const auto& row : table.rows) {
      const auto* text = std::get_if<std::string>(&row[i].of);
      const auto* number = std::get_if<uint64_t>(&row[i].of);
      if (text != nullptr) width = std::max(width, text->size());
      if (number != nullptr) width = std::max(width, fmt::to_string(*number).size());
    }
    // Nothing is behind the last one.
    const bool is_last = i + 1 == table.columns.size();
    table.columns[i].width = is_last && table.columns[i].left ? 0 : static_cast<int>(width);
  }
  return table;
}

Column Left(std::string head) { return {.head = std::move(head), .left = true}; }
Column Figure(std::string head) { return {.head = std::move(head)}; }

std::string NameOf(const path::Request& request) {
  return request.name.empty() ? "(no name)" : text::CleanText(request.name);
}

class PathDocumentBuilder {
 public:
  PathDocumentBuilder(const PathSet& set, const PathDocumentOptions& options)
      : set_(set), text_(set.text()), options_(options), order_(set.entries().size()) {
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](size_t a, size_t b) {
      return set_.entries()[a].request.duration() > set_.entries()[b].request.duration();
    });
  }

  Document Build() {
    const Entry& slowest = set_.entries()[order_.front()];
    if (set_.entries().size() == 1) {
      AddWaterfall(slowest);
    } else if (options_.slow_from) {
      AddComparison(*options_.slow_from);
      AddNames();
    } else {
      AddSummary();
      AddNames();
      AddSlowest();
      AddWaterfall(slowest);
    }
    if (!options_.notes.empty()) document_.AddSection().Add(Notes{options_.notes});
    return std::move(document_);
  }

 private:
  void AddSummary() {
    const PathComparison all = ComparePaths(set_, kSlowest);
    Section& section = document_.AddSection();
    section.Add(Line{fmt::format("{}: {} requests, p50 {}, p90 {}, p99 {}, longest {}",
                                 options_.file, all.all.count, document::ShortDuration(all.p50),
                                 document::ShortDuration(all.p90), document::ShortDuration(all.p99),
                                 document::ShortDuration(all.all.longest))});
    Table table;
    table.columns = {Figure("ms/request"), Figure("%"), Left("thread"), Left("part")};
    std::vector<PathComparison::Row> rows = all.rows;
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.all_ns > b.all_ns; });
    for (const auto& row : rows) {
      if (table.rows.size() == Top()) {
        table.omitted = rows.size() - Top();
        break;
      }
      table.rows.push_back({Ms(row.all_ns),
                            fmt::format("{:.1f}", 100 * row.all_ns / std::max(all.all.mean, 1.0)),
                            row.thread, row.what});
    }
    document_.AddSection("where their time went, by part of the critical path")
        .Add(Fitted(std::move(table)));
  }

  void AddComparison(double slow_from) {
    const PathComparison compared = ComparePaths(set_, slow_from);
    Section& head = document_.AddSection();
    const double longer = compared.slow.mean - compared.median.mean;
    std::string most = "no part differs";
    if (!compared.rows.empty()) {
      const auto& row = compared.rows.front();
      most = fmt::format("{} ms: {}, {}", SignedMs(row.difference()), row.thread, row.what);
    }
    head.Add(Line{.text = most,
                  .lead = fmt::format("{} slow requests take {} ms longer than the median ones",
                                      compared.slow.count, Ms(longer)),
                  .strong = true});
    head.Add(Line{
        fmt::format("{}: {} requests, p50 {}, p90 {}, p99 {}, longest {}; slow: {} and more; "
                    "median: {} to {} ({})",
                    options_.file, compared.all.count, document::ShortDuration(compared.p50),
                    document::ShortDuration(compared.p90), document::ShortDuration(compared.p99),
                    document::ShortDuration(compared.all.longest),
                    document::ShortDuration(compared.slow.shortest),
                    document::ShortDuration(compared.median.shortest),
                    document::ShortDuration(compared.median.longest), compared.median.count)});
    Table table;
    table.columns = {Figure("median ms"), Figure("slow ms"), Figure("difference"), Left("thread"),
                     Left("part")};
    for (const auto& row : compared.rows) {
      if (table.rows.size() == Top()) {
        table.omitted = compared.rows.size() - Top();
        break;
      }
      table.rows.push_back(
          {Ms(row.median_ns), Ms(row.slow_ns), SignedMs(row.difference()), row.thread, row.what});
    }
    table.rows.push_back(
        {Ms(compared.median.mean), Ms(compared.slow.mean), SignedMs(longer), "", "in all"});
    document_.AddSection("milliseconds a request, by part of the critical path")
        .Add(Fitted(std::move(table)));
    const Entry& slowest = set_.entries()[order_.front()];
    AddSlowest();
    AddWaterfall(slowest);
  }

  void AddNames() {
    std::map<std::string, std::vector<uint64_t>> names;
    for (const Entry& entry : set_.entries()) {
      names[NameOf(entry.request)].push_back(entry.request.duration());
    }
    if (names.size() < 2) return;
    struct Row {
      std::string name;
      std::vector<uint64_t> durations;
      uint64_t sum;
    };
    std::vector<Row> rows;
    for (auto& [name, durations] : names) {
      std::sort(durations.begin(), durations.end());
      const uint64_t sum = std::accumulate(durations.begin(), durations.end(), uint64_t{0});
      rows.push_back({name, std::move(durations), sum});
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.sum > b.sum; });
    Table table;
    table.columns = {Figure("count"),  Figure("p50 ms"),  Figure("p90 ms"),
                     Figure("p99 ms"), Figure("longest"), Left("name")};
    for (const Row& row : rows) {
      if (table.rows.size() == Top()) {
        table.omitted = rows.size() - Top();
        break;
      }
      const auto quantile = [&](double q) {
        return Ms(static_cast<double>(QuantileOf(row.durations, q)));
      };
      table.rows.push_back({uint64_t{row.durations.size()}, quantile(0.5), quantile(0.9),
                            quantile(0.99), quantile(1), row.name});
    }
    document_.AddSection("requests by name").Add(Fitted(std::move(table)));
  }

  // The part with the most time of a request.
  std::string LongestPart(const Entry& entry) const {
    std::map<std::pair<std::string, std::string>, uint64_t> sums;
    for (const path::Part& part : entry.parts()) {
      sums[{text_.Thread(part.thread, Names::kWithId), text_.Describe(part, Names::kWithId)}] +=
          part.length;
    }
    const auto most = std::max_element(
        sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == sums.end()) return "";
    return fmt::format("{} ms {}, {}", Ms(static_cast<double>(most->second)), most->first.first,
                       most->first.second);
  }

  void AddSlowest() {
    Table table;
    table.columns = {Figure("id"), Figure("at"),   Figure("ms"),
                     Left("name"), Left("thread"), Left("longest part")};
    for (const size_t index : order_) {
      if (table.rows.size() == Top()) break;
      const Entry& entry = set_.entries()[index];
      table.rows.push_back({entry.request.id,
                            document::SecondsSince(options_.first, entry.request.begin),
                            Ms(static_cast<double>(entry.request.duration())),
                            NameOf(entry.request), ThreadOf(entry.request), LongestPart(entry)});
    }
    document_.AddSection("the slowest requests").Add(Fitted(std::move(table)));
  }

  std::string ThreadOf(const path::Request& request) const {
    return text_.Thread(set_.builder().timeline().Find(request.thread), Names::kWithId);
  }

  void AddWaterfall(const Entry& entry) {
    const path::Request& request = entry.request;
    const std::vector<path::Part> parts = entry.parts();
    const uint64_t least =
        options_.all_parts || parts.size() <= kLines ? 0 : request.duration() / kShort;
    Table table;
    table.columns = {Figure("at ms"), Figure("ms"), Left("thread"), Left("part")};
    uint64_t sum = 0;
    for (size_t i = 0; i < parts.size();) {
      // Neighbours that are short.
      uint64_t together = 0;
      size_t behind = i;
      while (behind < parts.size() && parts[behind].length < least) {
        together += parts[behind++].length;
      }
      const path::Part& part = parts[i];
      const std::string at = ExactMs(part.begin - request.begin);
      if (behind > i + 1) {
        table.rows.push_back(
            {at, ExactMs(together), "", fmt::format("({} short parts)", behind - i)});
        sum += together;
        i = behind;
        continue;
      }
      const std::string indent(size_t{part.depth} * 2, ' ');
      table.rows.push_back({at, ExactMs(part.length),
                            indent + text_.Thread(part.thread, Names::kWithId),
                            text_.Describe(part, Names::kWithId)});
      sum += part.length;
      ++i;
    }
    table.rows.push_back({"", ExactMs(sum), "", "in all"});
    const std::string number = request.id == 0 ? "" : fmt::format(" {}", request.id);
    document_
        .AddSection(fmt::format("{}{} of {}: {} ms from {} on", NameOf(request), number,
                                ThreadOf(request), ExactMs(request.duration()),
                                document::SecondsSince(options_.first, request.begin)))
        .Add(Fitted(std::move(table)));
  }

  size_t Top() const { return options_.top == 0 ? SIZE_MAX : options_.top; }

  static constexpr double kSlowest = 0.99;

  const PathSet& set_;
  const path::PartText text_;
  const PathDocumentOptions& options_;
  std::vector<size_t> order_;  // of entries, the slowest first
  Document document_;
};

}  // namespace

Document PathDocument(const PathSet& set, const PathDocumentOptions& options) {
  return PathDocumentBuilder(set, options).Build();
}

}  // namespace analyze
