// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/path_page.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

#include "analyze/document/render.h"
#include "analyze/page/page.h"
#include "analyze/path/path_comparison.h"

namespace analyze {
namespace {

using Names = path::PartText::Names;

using document::Value;

// Limits of one page.
constexpr size_t kRequests = 100;
constexpr size_t kParts = 20'000;
constexpr size_t kRows = 200;
constexpr double kSlowFrom = 0.99;

Value PartValue(const PathSet& set, const path::PartText& text, const path::Part& part,
                uint64_t begin) {
  Value one(Value::Object{});
  one.Set("kind", path::NameOf(part.kind));
  one.Set("at", part.begin - begin);
  one.Set("ns", part.length);
  one.Set("depth", uint32_t{part.depth});
  one.Set("thread", text.Thread(part.thread, Names::kWithId));
  if (part.thread != facts::kNoThread) one.Set("koid", set.builder().KoidOf(part.thread));
  one.Set("what", text.Describe(part, Names::kWithId));
  return one;
}

}  // namespace

std::string PathPage(const PathSet& set, const PathDocumentOptions& options) {
  const auto& entries = set.entries();
  const path::PartText text = set.text();
  std::vector<size_t> order(entries.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return entries[a].request.duration() > entries[b].request.duration();
  });
  Value requests(Value::List{});
  size_t parts = 0;
  size_t shown = 0;
  for (const size_t index : order) {
    const auto& entry = entries[index];
    const std::vector<path::Part> of_entry = entry.parts();
    parts += of_entry.size();
    if (shown != 0 && (shown == kRequests || parts > kParts)) break;
    Value one(Value::Object{});
    one.Set("name", entry.request.name);
    one.Set("id", entry.request.id);
    one.Set("at", entry.request.begin - std::min(entry.request.begin, options.first));
    one.Set("ns", entry.request.duration());
    // A place of the timeline.
    one.Set("clock", entry.request.begin);
    one.Set("thread", entry.request.thread);
    Value list(Value::List{});
    for (size_t i = 0; i < std::min(of_entry.size(), kParts); ++i) {
      list.Append(PartValue(set, text, of_entry[i], entry.request.begin));
    }
    one.Set("parts", std::move(list));
    requests.Append(OnOwnLine(std::move(one)));
    ++shown;
  }
  const PathComparison compared = ComparePaths(set, options.slow_from.value_or(kSlowFrom));
  const auto side = [](const PathComparison::Side& of) {
    Value one(Value::Object{});
    one.Set("count", uint64_t{of.count});
    one.Set("mean", of.mean);
    one.Set("shortest", of.shortest);
    one.Set("longest", of.longest);
    return one;
  };
  Value rows(Value::List{});
  for (const auto& row : compared.rows) {
    if (std::get<Value::List>(rows.of).size() == kRows) break;
    Value one(Value::Object{});
    one.Set("kind", path::NameOf(row.kind));
    one.Set("thread", row.thread);
    one.Set("what", row.what);
    one.Set("median", row.median_ns);
    one.Set("slow", row.slow_ns);
    rows.Append(OnOwnLine(std::move(one)));
  }
  Value data(Value::Object{});
  data.Set("file", options.file);
  data.Set("count", uint64_t{entries.size()});
  data.Set("p50", compared.p50);
  data.Set("p90", compared.p90);
  data.Set("p99", compared.p99);
  data.Set("median", side(compared.median));
  data.Set("slow", side(compared.slow));
  Value notes(Value::List{});
  for (const std::string& note : options.notes) notes.Append(note);
  data.Set("notes", std::move(notes));
  data.Set("rows", std::move(rows));
  data.Set("requests", std::move(requests));
  const std::string json = document::RenderJson(data);
  const std::array parts_of_page = {PageData{"data", json}};
  return MakePage(PageKind::kPath, parts_of_page);
}

}  // namespace analyze
