// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/flame/frame_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "schema/script_frame.h"
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

// Processes with perf maps in memory. A machine has fewer JIT compilers.
constexpr size_t kMaxLists = 1024;
// Functions that a trace contains. A damaged trace may have more.
constexpr size_t kMaxSymbols = size_t{1} << 21;

uint64_t Within(uint64_t address, bool is_return) {
  return is_return && address != 0 ? address - 1 : address;
}

}  // namespace

std::string FoldedPart(std::string_view text) {
  std::string part = text::CleanText(text);
  std::ranges::replace(part, ';', ':');
  std::ranges::replace(part, '\n', ' ');
  return part;
}

void FrameNames::OnCompiled(uint32_t pid, uint64_t start, uint64_t size, std::string_view name) {
  if (from_trace_count_ >= kMaxSymbols) return;
  ++from_trace_count_;
  from_trace_[pid].Add(start, size, std::string(name));
}

void FrameNames::OnScript(uint64_t id, std::string_view name, std::string_view file,
                          uint64_t first_line) {
  if (from_trace_count_ >= kMaxSymbols) return;
  ++from_trace_count_;
  scripts_.try_emplace(id, Script{std::string(name), std::string(file), first_line});
}

const symbols::Symbol* FrameNames::FindCompiled(uint32_t pid, uint64_t address) {
  if (const auto traced = from_trace_.find(pid); traced != from_trace_.end()) {
    if (const symbols::Symbol* symbol = traced->second.Find(address)) return symbol;
  }
  if (!options_.enabled) return nullptr;
  auto found = compiled_.find(pid);
  if (found == compiled_.end()) {
    if (compiled_.size() >= kMaxLists || compiled_count_ >= kMaxSymbols) return nullptr;
    symbols::PerfMapSource source{.pid = pid, .root = options_.files.root};
    if (const auto user = users_.find(pid); user != users_.end()) source.user = user->second;
    auto list = symbols::ReadPerfMap(source);
    found = compiled_.emplace(pid, std::nullopt).first;
    if (list) {
      compiled_count_ += list->size();
      found->second = std::move(*list);
    }
  }
  return found->second ? found->second->Find(address) : nullptr;
}

std::optional<FrameFunction> FrameNames::FunctionOf(uint32_t pid, uint64_t address,
                                                    bool is_return) {
  // The trace has interpreted functions already.
  if (schema::IsScriptFrame(address)) return std::nullopt;
  const uint64_t within = Within(address, is_return);
  const Place place = places_.place(places_.Resolve(pid, within));
  if (place.function != UINT32_MAX) {
    return FrameFunction{places_.function_name(place.function), place.module,
                         place.offset - place.function_offset, place.function_size};
  }
  if (schema::IsKernelAddress(address)) return std::nullopt;
  const symbols::Symbol* symbol = FindCompiled(pid, within);
  if (symbol == nullptr) return std::nullopt;
  return FrameFunction{symbol->name, UINT32_MAX, symbol->address, symbol->size};
}

bool FrameNames::IsInCLibrary(uint32_t pid, uint64_t address, bool is_return) {
  constexpr std::array<std::string_view, 6> kBegins = {"libc.so",     "libc-",    "libc.musl",
                                                       "libpthread.", "ld-linux", "ld-musl"};
  if (schema::IsKernelAddress(address) || schema::IsScriptFrame(address)) return false;
  const uint32_t module = places_.place(places_.Resolve(pid, Within(address, is_return))).module;
  if (module == UINT32_MAX) return false;
  const std::string_view file = BaseName(places_.module_name(module));
  return std::ranges::any_of(kBegins,
                             [&](std::string_view begin) { return file.starts_with(begin); });
}

std::vector<std::string> FrameNames::NamesOf(uint32_t pid, uint64_t address, bool is_return) {
  std::vector<std::string> names;
  std::string outermost = NameOf(pid, address, is_return);
  if (schema::IsScriptFrame(address)) {
    const auto script = scripts_.find(schema::ScriptFunctionOf(address));
    if (options_.lines && script != scripts_.end()) {
      const uint64_t line = schema::ScriptLineOf(address, script->second.first_line);
      const std::string_view file = BaseName(script->second.file);
      outermost +=
          FoldedPart(line == 0 ? fmt::format(" ({})", file) : fmt::format(" ({}:{})", file, line));
    }
    names.push_back(std::move(outermost));
    return names;
  }
  if (options_.lines && !schema::IsKernelAddress(address)) {
    const PlaceId place = places_.Resolve(pid, Within(address, is_return));
    const bool has_name = places_.place(place).function != UINT32_MAX;
    const auto positions = places_.LinesOf(place);
    for (size_t i = 0; i < positions.size(); ++i) {
      const symbols::SourcePosition& position = positions[i];
      // The symbol's name is that of the outermost one, with what the linker made of it.
      const bool is_outermost = i + 1 == positions.size();
      std::string name =
          is_outermost && (has_name || position.function.empty())
              ? outermost
              : FoldedPart(position.function.empty() ? "[inlined]" : position.function);
      if (position.line != 0) {
        name += FoldedPart(fmt::format(" ({}:{})", BaseName(position.file), position.line));
      }
      names.push_back(std::move(name));
    }
  }
  if (names.empty()) names.push_back(std::move(outermost));
  return names;
}

std::string FrameNames::NameOf(uint32_t pid, uint64_t address, bool is_return) {
  const bool kernel = schema::IsKernelAddress(address);
  if (schema::IsScriptFrame(address)) {
    const auto script = scripts_.find(schema::ScriptFunctionOf(address));
    return script == scripts_.end() ? "[unknown]" : FoldedPart(script->second.name);
  }
  const uint64_t within = Within(address, is_return);
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
