// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/flame/flame_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fxt/text_map.h"
#include "text/json_writer.h"

namespace analyze {
namespace {

uint64_t WeightOf(const FoldedStacks& stacks, const FoldedStack& stack) {
  const auto found = stacks.find(stack);
  return found == stacks.end() ? 0 : found->second;
}

}  // namespace

void WriteFolded(text::TextWriter& out, const FoldedStacks& stacks, const FoldedStacks* base) {
  if (base == nullptr) {
    for (const auto& [stack, weight] : stacks) out.Print("{} {}\n", fmt::join(stack, ";"), weight);
    return;
  }
  FoldedStacks both = stacks;
  both.insert(base->begin(), base->end());
  for (const auto& [stack, weight] : both) {
    out.Print("{} {} {}\n", fmt::join(stack, ";"), WeightOf(*base, stack), WeightOf(stacks, stack));
  }
}

void WriteSpeedscope(text::TextWriter& out, const FoldedStacks& stacks, FlameKind kind,
                     std::string_view name) {
  fxt::TextViewMap<size_t> numbers;
  std::vector<std::string_view> frames;
  uint64_t total = 0;
  for (const auto& [stack, weight] : stacks) {
    total += weight;
    for (const std::string& frame : stack) {
      if (numbers.emplace(frame, frames.size()).second) frames.push_back(frame);
    }
  }
  text::JsonWriter json(out.buffer());
  json.BeginObject();
  json.Key("$schema").String("https://www.speedscope.app/file-format-schema.json");
  json.Key("exporter").String("fxt " FXT_RECORD_VERSION).Key("name").String(name);
  json.Key("activeProfileIndex").Unsigned(0);
  json.Key("shared").BeginObject().Key("frames").BeginArray();
  for (const std::string_view frame : frames) {
    json.Line().BeginObject().Key("name").String(frame).EndObject();
    out.FlushIfFull();
  }
  json.EndArray().EndObject();
  json.Key("profiles").BeginArray().BeginObject();
  json.Key("type").String("sampled").Key("name").String(NameOf(kind));
  json.Key("unit").String(kind == FlameKind::kOff ? "microseconds" : "none");
  json.Key("startValue").Unsigned(0).Key("endValue").Unsigned(total);
  json.Key("samples").BeginArray();
  for (const auto& [stack, weight] : stacks) {
    json.Line().BeginArray();
    for (const std::string& frame : stack) json.Unsigned(numbers.at(frame));
    json.EndArray();
    out.FlushIfFull();
  }
  json.EndArray().Key("weights").BeginArray();
  for (const auto& [stack, weight] : stacks) json.Unsigned(weight);
  json.EndArray().EndObject().EndArray().EndObject();
  out.Append("\n");
}

}  // namespace analyze
