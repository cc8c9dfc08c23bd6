// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/flame/frame_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "schema/stack_id.h"
#include "symbols/demangle.h"
#include "symbols/perf_map.h"
#include "text/clean_text.h"

namespace analyze {
namespace {

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos || slash + 1 == path.size() ? path
                                                                     : path.substr(slash + 1);
}

// Processes whose lists are kept; a machine has fewer that compile.
constexpr size_t kMaxLists = 1024;

}  // namespace

std::string FoldedPart(std::string_view text) {
  std::string part = text::CleanText(text);
  std::ranges::replace(part, ';', ':');
  std::ranges::replace(part, '\n', ' ');
  return part;
}

const symbols::Symbol* FrameNames::FindCompiled(uint32_t pid, uint64_t address) {
  if (!options_.enabled) return nullptr;
  auto found = compiled_.find(pid);
  if (found == compiled_.end()) {
    if (compiled_.size() >= kMaxLists) return nullptr;
    auto list = symbols::ReadPerfMap(fmt::format("{}/tmp/perf-{}.map", options_.files.root, pid));
    found = compiled_.emplace(pid, std::nullopt).first;
    if (list) found->second = std::move(*list);
  }
  return found->second ? found->second->Find(address) : nullptr;
}

std::string FrameNames::NameOf(uint32_t pid, uint64_t address, bool is_return) {
  const bool kernel = schema::IsKernelAddress(address);
  const uint64_t within = is_return && address != 0 ? address - 1 : address;
  const Place place = places_.place(places_.Resolve(pid, within));
  if (place.function != UINT32_MAX) {
    return FoldedPart(places_.function_name(place.function)) + (kernel ? "_[k]" : "");
  }
  if (kernel) return "[kernel]_[k]";
  if (const symbols::Symbol* symbol = FindCompiled(pid, within)) {
    return FoldedPart(symbols::Demangle(symbol->name));
  }
  if (place.module == UINT32_MAX) return "[unknown]";
  const std::string_view file = BaseName(places_.module_name(place.module));
  return file.starts_with('[') ? FoldedPart(file) : FoldedPart(fmt::format("[{}]", file));
}

}  // namespace analyze
