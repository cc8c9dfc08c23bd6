// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/diff/request_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "text/clean_text.h"

namespace analyze {
namespace {

using comparison::PartChange;
using comparison::RequestChange;
using comparison::RequestFigures;
using document::Value;

// Parts of a request in JSON.
constexpr size_t kPartsInJson = 12;

constexpr size_t kNameWidth = 12;
constexpr size_t kMaxNameWidth = 40;
constexpr int kFigureWidth = 9;

using Captures = std::vector<std::optional<RequestFigures>>;

Value CapturesData(const Captures& captures) {
  Value list(Value::List{});
  const auto ns = [](const std::optional<double>& us) { return us ? Value(*us * 1e3) : Value(); };
  for (const auto& figures : captures) {
    if (!figures) {
      list.Append({});
      continue;
    }
    list.Append(Value::Object{{"count", figures->count},
                              {"mean_ns", figures->mean * 1e3},
                              {"p50_ns", ns(figures->p50)},
                              {"p90_ns", ns(figures->p90)},
                              {"p99_ns", ns(figures->p99)}});
  }
  return list;
}

uint64_t CountOf(const Captures& captures) {
  uint64_t count = 0;
  for (const auto& figures : captures) count += figures ? figures->count : 0;
  return count;
}

// us of all captures; for an order.
double TimeOf(const RequestChange& request) {
  double time = 0;
  for (const Captures* captures : {&request.base_captures, &request.next_captures}) {
    for (const auto& figures : *captures) {
      time += figures ? figures->mean * static_cast<double>(figures->count) : 0;
    }
  }
  return time;
}

// The mean of the captures, ms; "" where one of those with requests has too few.
std::string MeanOf(const Captures& captures, std::optional<double> RequestFigures::*which) {
  double sum = 0;
  double count = 0;
  for (const auto& figures : captures) {
    if (!figures) continue;
    const auto& value = (*figures).*which;
    if (!value) return "";
    sum += *value;
    count += 1;
  }
  return count == 0 ? "" : fmt::format("{:.3f}", sum / count / 1e3);
}

}  // namespace

Value PartsData(const RequestChange& request) {
  Value list(Value::List{});
  for (size_t i = 0; i < std::min(kPartsInJson, request.parts.size()); ++i) {
    const PartChange& each = request.parts[i];
    const auto text = [](const std::string& of) { return of.empty() ? Value() : Value(of); };
    list.Append(Value::Object{{"kind", path::NameOf(each.part.kind)},
                              {"own", each.part.is_own},
                              {"thread", each.part.thread},
                              {"waited_for", text(each.part.waited_for)},
                              {"object", text(each.part.object)},
                              {"base_ms", each.base},
                              {"new_ms", each.next},
                              {"change_ms", each.change()}});
  }
  return list;
}

void AddRequestSection(document::Document& document, const comparison::DiffReport& report,
                       size_t top) {
  const bool shown = !report.requests.empty();
  document::Section& section =
      document.AddSection(shown ? "Requests, in ms, means of the captures:" : "");
  section.in_markdown = false;
  Value all(Value::List{});
  for (const RequestChange& request : report.requests) {
    all.Append(OnOwnLine(Value::Object{{"name", request.name},
                                       {"base", CapturesData(request.base_captures)},
                                       {"new", CapturesData(request.next_captures)},
                                       {"parts", PartsData(request)}}));
  }
  section.Add(document::Field{.label = "", .key = "requests", .value = OnOwnLine(std::move(all))});
  section.Add(
      document::Field{.label = "", .key = "requests_left_out", .value = report.requests_left_out});
  if (!shown) return;
  std::vector<const RequestChange*> order;
  for (const RequestChange& request : report.requests) order.push_back(&request);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return TimeOf(*a) > TimeOf(*b); });
  const size_t count = top == 0 ? order.size() : std::min(top, order.size());
  size_t longest = kNameWidth;
  for (size_t i = 0; i < count; ++i) {
    longest = std::max(longest, text::CleanText(order[i]->name).size());
  }
  document::Table table{.columns = {{.head = "request",
                                     .width = static_cast<int>(std::min(longest, kMaxNameWidth)),
                                     .left = true},
                                    {.head = "base", .width = kFigureWidth},
                                    {.head = "p50", .width = kFigureWidth},
                                    {.head = "p90", .width = kFigureWidth},
                                    {.head = "p99", .width = kFigureWidth},
                                    {.head = "new", .width = kFigureWidth, .rule = true},
                                    {.head = "p50", .width = kFigureWidth},
                                    {.head = "p90", .width = kFigureWidth},
                                    {.head = "p99", .width = kFigureWidth}},
                        .rows = {}};
  for (size_t i = 0; i < count; ++i) {
    const RequestChange& request = *order[i];
    std::vector<Value> row = {text::CleanText(request.name)};
    for (const Captures* captures : {&request.base_captures, &request.next_captures}) {
      row.emplace_back(CountOf(*captures));
      for (const auto which : {&RequestFigures::p50, &RequestFigures::p90, &RequestFigures::p99}) {
        row.emplace_back(MeanOf(*captures, which));
      }
    }
    table.rows.push_back(std::move(row));
  }
  table.omitted = order.size() - count;
  section.Add(std::move(table));
}

}  // namespace analyze
