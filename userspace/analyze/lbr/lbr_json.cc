// SPDX-License-Identifier: BSD-2-Clause
#include <algorithm>

#include "analyze/lbr/lbr_text.h"
#include "text/json_writer.h"

namespace analyze {
namespace {

constexpr uint32_t kNoId = UINT32_MAX;

class Json {
 public:
  Json(const LbrReport& report, size_t top)
      : report_(report), top_(top == 0 ? SIZE_MAX : top), json_(text_) {}

  std::string Write(std::string_view file, const LbrSections& sections);

 private:
  template <typename Row, typename Print>
  void List(std::string_view key, const std::vector<Row>& rows, Print print) {
    json_.Key(key).BeginObject().Key("total").Unsigned(rows.size()).Key("top").BeginArray();
    for (size_t i = 0; i < std::min(rows.size(), top_); ++i) {
      json_.Line().BeginObject();
      print(rows[i]);
      json_.EndObject();
    }
    json_.EndArray().EndObject();
  }
  void Count(std::string_view key, uint64_t value) { json_.Key(key).Unsigned(value); }
  void Totals();
  void PlaceAt(std::string_view key, PlaceId id);
  void Branch(const BranchCount& branch);

  const LbrReport& report_;
  size_t top_;
  fmt::memory_buffer text_;
  text::JsonWriter json_;
};

void Json::Totals() {
  const LbrTotals& totals = report_.totals();
  Count("samples", totals.samples);
  Count("empty_samples", totals.empty_samples);
  if (totals.samples != 0) {
    Count("first_time_ns", totals.first_time);
    Count("last_time_ns", totals.last_time);
  }
  Count("branches", totals.branches);
  Count("unfilled", totals.unfilled);
  Count("longest_stack", totals.longest);
  Count("mispredicted", totals.mispredicted);
  Count("predicted", totals.predicted);
  Count("in_transaction", totals.in_transaction);
  Count("aborted", totals.aborted);
  Count("with_cycles", totals.with_cycles);
  Count("uncounted", totals.uncounted);
  json_.Key("kinds").BeginObject();
  for (size_t i = 0; i < totals.kinds.size(); ++i) {
    if (totals.kinds[i] != 0) Count(NameOf(static_cast<symbols::BranchKind>(i)), totals.kinds[i]);
  }
  json_.EndObject();
}

void Json::PlaceAt(std::string_view key, PlaceId id) {
  const LbrPlaces& places = report_.places();
  const Place& place = places.place(id);
  json_.Key(key).BeginObject().Key("text").String(places.Text(id));
  if (place.module != kNoId) json_.Key("module").String(places.module_name(place.module));
  json_.Key(place.module == kNoId ? "address" : "offset").Hex(place.offset);
  if (place.function != kNoId) {
    json_.Key("function").String(places.function_name(place.function));
    json_.Key("function_offset").Unsigned(place.function_offset);
  }
  json_.EndObject();
}

void Json::Branch(const BranchCount& branch) {
  Count("count", branch.count);
  Count("mispredicted", branch.mispredicted);
  Count("predicted", branch.predicted);
  json_.Key("mispredict_rate");
  if (branch.mispredicted + branch.predicted == 0) {
    json_.Null();
  } else {
    json_.Double(branch.mispredict_rate());
  }
  if (branch.in_transaction != 0) Count("in_transaction", branch.in_transaction);
  if (branch.aborted != 0) Count("aborted", branch.aborted);
  json_.Key("kind").String(NameOf(branch.kind));
  PlaceAt("from", branch.from);
  PlaceAt("to", branch.to);
}

std::string Json::Write(std::string_view file, const LbrSections& sections) {
  json_.BeginObject().Key("file").String(file);
  Totals();
  const auto branch = [this](const BranchCount& b) { Branch(b); };
  if (sections.branches) List("hottest_branches", report_.Branches(), branch);
  if (sections.mispredicted) List("mispredicted_branches", report_.MispredictedBranches(), branch);
  if (sections.blocks) {
    List("blocks", report_.Blocks(), [this](const BlockCount& block) {
      Count("cycles", block.cycles);
      Count("count", block.count);
      Count("least", block.least);
      Count("most", block.most);
      Count("bytes", block.bytes);
      PlaceAt("first", block.first);
      PlaceAt("last", block.last);
    });
  }
  if (sections.functions) {
    List("functions", report_.Functions(), [this](const FunctionCount& function) {
      const LbrPlaces& places = report_.places();
      json_.Key("function").String(places.function_name(function.function));
      const uint32_t module = places.function_module(function.function);
      if (module != kNoId) json_.Key("module").String(places.module_name(module));
      Count("calls", function.calls);
      Count("returns", function.returns);
      Count("calls_made", function.calls_made);
      Count("entries", function.entries);
    });
  }
  if (sections.threads) {
    List("threads", report_.Threads(), [this](const ThreadCount& thread) {
      json_.Key("pid").Signed(static_cast<int32_t>(thread.pid));
      json_.Key("tid").Signed(static_cast<int32_t>(thread.tid));
      json_.Key("name").String(thread.name);
      Count("samples", thread.samples);
      Count("branches", thread.branches);
      Count("mispredicted", thread.mispredicted);
      Count("judged", thread.judged);
    });
  }
  json_.Key("without_symbols").BeginArray();
  for (const std::string& problem : report_.places().Problems()) json_.Line().String(problem);
  json_.EndArray().EndObject();
  return fmt::to_string(text_);
}

}  // namespace

std::string LbrReportJson(std::string_view file, const LbrReport& report,
                          const LbrReportOptions& options) {
  return Json(report, options.top).Write(file, options.sections);
}

}  // namespace analyze
