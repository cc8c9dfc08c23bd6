// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/flame_page.h"

#include <array>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyze/page/page.h"
#include "text/json_writer.h"

namespace analyze {
namespace {

using Weights = std::pair<uint64_t, uint64_t>;  // in the base, here

// Stacks in the order of a walk through their tree, each without the frames that it shares with the
// one before: [shared frames, new frames..., base, new].
void WriteSteps(text::JsonWriter& json, const std::map<FoldedStack, Weights>& stacks,
                std::vector<std::string_view>* texts) {
  std::unordered_map<std::string_view, size_t> numbers;
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
    json.EndArray().Unsigned(weights.first).Unsigned(weights.second).EndArray();
    before = &stack;
  }
}

}  // namespace

std::string FlameJson(const FoldedStacks& stacks, FlameKind kind, std::string_view file,
                      const FoldedStacks* base, std::string_view base_file) {
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
  std::vector<std::string_view> texts;
  json.Key("stacks").BeginArray();
  WriteSteps(json, both, &texts);
  json.EndArray().Key("texts").BeginArray();
  for (const std::string_view text : texts) json.String(text);
  json.EndArray().EndObject();
  return fmt::to_string(out);
}

std::string FlamePage(const FoldedStacks& stacks, FlameKind kind, std::string_view file,
                      const FoldedStacks* base, std::string_view base_file) {
  const std::string json = FlameJson(stacks, kind, file, base, base_file);
  const std::array<PageData, 1> data = {PageData{"flame", json}};
  return MakePage(PageKind::kFlame, data);
}

}  // namespace analyze
