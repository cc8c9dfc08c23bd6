// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/flame_page.h"

#include <array>
#include <iterator>
#include <utility>
#include <vector>

#include "analyze/page/page.h"
#include "compare/compare.h"
#include "fxt/text_map.h"
#include "text/json_writer.h"

namespace analyze {
namespace {

using Weights = std::pair<uint64_t, uint64_t>;  // in the base, here

// Stacks in the order of a walk through their tree, each without the frames that it shares with the
// one before: [shared frames, [new frames], base, new, [q of the new frames]].
void WriteSteps(text::JsonWriter& json, const std::map<FoldedStack, Weights>& stacks,
                const std::vector<double>* q, std::vector<std::string_view>* texts) {
  size_t next_q = 1;  // behind the root
  fxt::TextViewMap<size_t> numbers;
  const FoldedStack* before = nullptr;
  for (const auto& [stack, weights] : stacks) {
    size_t kept = 0;
    while (before != nullptr && kept < before->size() && kept < stack.size() &&
           (*before)[kept] == stack[kept]) {
      ++kept;
    }
    json.Line().BeginArray().Unsigned(kept).BeginArray();
    for (size_t i = kept; i < stack.size(); ++i) {
      const auto [found, is_new] = numbers.emplace(stack[i], texts->size());
      if (is_new) texts->push_back(found->first);
      json.Unsigned(found->second);
    }
    json.EndArray().Unsigned(weights.first).Unsigned(weights.second);
    if (q != nullptr) {
      json.BeginArray();
      for (size_t i = kept; i < stack.size(); ++i) json.Double(q->at(next_q++));
      json.EndArray();
    }
    json.EndArray();
    before = &stack;
  }
}

}  // namespace

std::string FlameJson(const FoldedStacks& stacks, FlameKind kind, std::string_view file,
                      const FoldedStacks* base, std::string_view base_file,
                      const std::vector<double>* q) {
  std::map<FoldedStack, Weights> both;
  for (const auto& [stack, weight] : stacks) both[stack].second = weight;
  if (base != nullptr) {
    for (const auto& [stack, weight] : *base) both[stack].first = weight;
  }
  fmt::memory_buffer out;
  text::JsonWriter json(out);
  json.BeginObject().Key("of").String(NameOf(kind)).Key("unit").String(UnitOf(kind));
  json.Key("file").String(file);
  if (base != nullptr) json.Key("base").String(base_file);
  if (q != nullptr)
    json.Key("q").Double(q->front()).Key("least_q").Double(comparison::kFalseDiscoveries);
  std::vector<std::string_view> texts;
  json.Key("stacks").BeginArray();
  WriteSteps(json, both, q, &texts);
  json.EndArray().Key("texts").BeginArray();
  for (const std::string_view text : texts) json.String(text);
  json.EndArray().EndObject();
  return fmt::to_string(out);
}

std::string FlamePage(const FoldedStacks& stacks, FlameKind kind, std::string_view file,
                      const FoldedStacks* base, std::string_view base_file,
                      const std::vector<double>* q) {
  const std::string json = FlameJson(stacks, kind, file, base, base_file, q);
  const std::array<PageData, 1> data = {PageData{"flame", json}};
  return MakePage(PageKind::kFlame, data);
}

}  // namespace analyze
