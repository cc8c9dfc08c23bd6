// SPDX-License-Identifier: BSD-2-Clause
#include "probes/function_finder.h"

#include <elf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "fxt_record/event.h"
#include "symbols/demangle.h"
#include "symbols/elf_file.h"
#include "util/nearest.h"

namespace probes {
namespace {

struct Candidate {
  std::string raw;
  uint64_t address = 0;
  bool chosen_at_run_time = false;  // IFUNC
};

// Index of the parameter list in a demangled name; its size if there is none.
size_t ParametersAt(std::string_view name) {
  const size_t close = name.rfind(')');
  if (close == std::string_view::npos) return name.size();
  int depth = 0;
  for (size_t i = close + 1; i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) {
      // "(anonymous namespace)::f" and a function within a function have no list at the end.
      return name.substr(close + 1).starts_with("::") ? name.size() : i;
    }
  }
  return name.size();
}

// Demangled template functions begin with their return type.
std::string_view WithoutReturnType(std::string_view name) {
  if (name.find("operator") != std::string_view::npos) return name;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<' || name[i] == '(') ++depth;
    if (name[i] == '>' || name[i] == ')') --depth;
    if (name[i] == ' ' && depth == 0) begin = i + 1;
  }
  return name.substr(begin);
}

std::string_view WithoutTemplateArguments(std::string_view name) {
  if (!name.ends_with('>') || name.find("operator") != std::string_view::npos) return name;
  int depth = 0;
  for (size_t i = name.size(); i-- > 0;) {
    if (name[i] == '>') ++depth;
    if (name[i] == '<' && --depth == 0) return name.substr(0, i);
  }
  return name;
}

std::vector<Candidate> CandidatesOf(const symbols::ElfFile& file) {
  std::vector<Candidate> candidates;
  file.VisitFunctions([&](std::string_view name, uint64_t address, bool chosen_at_run_time) {
    // A versioned library symbol of .symtab has a suffix: memcpy@@GLIBC_2.14.
    name = name.substr(0, name.find('@'));
    if (!name.empty()) {
      candidates.push_back({std::string(name), address, chosen_at_run_time});
    }
  });
  return candidates;
}

// The functions of .dynsym that are defined.
std::vector<Candidate> ExportsOf(const symbols::ElfFile& file) {
  std::vector<Candidate> candidates;
  const std::vector<std::byte> symbols = file.ReadSection(".dynsym");
  const std::vector<std::byte> names = file.ReadSection(".dynstr");
  const std::string_view texts(reinterpret_cast<const char*>(names.data()), names.size());
  for (size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, symbols.data() + at, sizeof(symbol));
    const auto type = ELF64_ST_TYPE(symbol.st_info);
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= texts.size()) continue;
    if (type != STT_FUNC && type != STT_GNU_IFUNC) continue;
    const std::string_view name = texts.substr(symbol.st_name);
    candidates.push_back(
        {std::string(name.substr(0, name.find('\0'))), symbol.st_value, type == STT_GNU_IFUNC});
  }
  return candidates;
}

// A return probe would break these: they save or replace return addresses, or have none.
bool IsReturnFragile(std::string_view name) {
  constexpr std::array<std::string_view, 22> kNames = {
      "_start",     "_init",       "_fini",         "setjmp",      "_setjmp",       "__sigsetjmp",
      "sigsetjmp",  "longjmp",     "_longjmp",      "siglongjmp",  "__longjmp_chk", "getcontext",
      "setcontext", "swapcontext", "makecontext",   "vfork",       "__vfork",       "clone",
      "__clone",    "__cxa_throw", "__cxa_rethrow", "__restore_rt"};
  return std::ranges::find(kNames, name) != kNames.end() || name.starts_with("_Unwind_");
}

bool Matches(const std::string& pattern, const std::string& name) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

// True if a pattern matches a name: mangled, demangled, or that without parameters and return type.
bool MatchesSymbol(const std::string& pattern, const Candidate& candidate) {
  if (Matches(pattern, candidate.raw)) return true;
  const std::string name = symbols::Demangle(candidate.raw);
  if (name == candidate.raw) return false;
  return Matches(pattern, name) ||
         Matches(
             pattern,
             std::string(WithoutReturnType(std::string_view(name).substr(0, ParametersAt(name)))));
}

std::vector<Candidate> FromDebugFile(const std::string& path, const symbols::ElfFile& file,
                                     const symbols::DebugFileOptions& options) {
  for (const std::string& each :
       symbols::DebugFileCandidates(path, file.build_id(), file.debug_link(), options)) {
    auto debug = symbols::ElfFile::Open(each);
    if (debug && debug->build_id() == file.build_id()) return CandidatesOf(*debug);
  }
  return {};
}

std::optional<uint64_t> OffsetOf(const symbols::ElfFile& file, uint64_t address) {
  for (const symbols::LoadSegment& segment : file.segments()) {
    if (segment.executable && address >= segment.address &&
        address - segment.address < segment.file_size) {
      return segment.file_offset + (address - segment.address);
    }
  }
  return std::nullopt;
}

std::string NearestNames(const std::vector<Candidate>& candidates, const std::string& symbol) {
  constexpr size_t kMax = 3;
  std::vector<std::string> known;
  std::vector<std::string> near;
  for (const Candidate& each : candidates) {
    if (each.chosen_at_run_time) continue;
    std::string name = symbols::Demangle(each.raw);
    name.resize(ParametersAt(name));
    if (near.size() < kMax && symbol.size() > 2 && name.find(symbol) != std::string::npos &&
        std::ranges::find(near, name) == near.end()) {
      near.push_back(name);
    }
    known.push_back(std::move(name));
  }
  while (near.size() < kMax && !known.empty()) {
    const std::string best = util::Nearest(symbol, known);
    std::erase(known, best);
    if (std::ranges::find(near, best) == near.end()) near.push_back(best);
  }
  return fmt::format("{}", fmt::join(near, ", "));
}

}  // namespace

bool IsPattern(std::string_view symbol) {
  return symbol.find_first_of("*?") != std::string_view::npos &&
         symbol.find("operator") == std::string_view::npos &&
         symbol.find('(') == std::string_view::npos;
}

bool IsCalled(std::string_view demangled, std::string_view symbol) {
  if (demangled == symbol) return true;
  const std::string_view bare = WithoutReturnType(demangled.substr(0, ParametersAt(demangled)));
  return bare == symbol || WithoutTemplateArguments(bare) == symbol;
}

util::Result<std::vector<FoundFunction>> FindFunctions(const std::string& path,
                                                       const std::string& symbol,
                                                       const symbols::DebugFileOptions& options) {
  auto file = symbols::ElfFile::Open(path);
  if (!file) return file.TakeError();
  if (file->HasSection(".gopclntab") || file->HasSection(".note.go.buildid")) {
    return util::Error{fmt::format("{} is a Go program: its stacks move, and it would crash when "
                                   "returns of its functions are watched",
                                   path),
                       "record its stacks instead: -c stack"};
  }
  const bool is_pattern = IsPattern(symbol);
  std::vector<Candidate> candidates;
  if (symbol == "*") candidates = ExportsOf(*file);
  std::erase_if(candidates, [&](const Candidate& each) { return IsReturnFragile(each.raw); });
  if (candidates.empty()) {
    candidates = CandidatesOf(*file);
    std::ranges::move(FromDebugFile(path, *file, options), std::back_inserter(candidates));
  }
  std::map<uint64_t, FoundFunction> found;  // by offset
  bool chosen_at_run_time = false;
  for (const Candidate& each : candidates) {
    std::string name = each.raw;
    if (is_pattern) {
      if (each.chosen_at_run_time || IsReturnFragile(each.raw) || !MatchesSymbol(symbol, each))
        continue;
    } else if (each.raw != symbol) {
      name = symbols::Demangle(each.raw);
      if (name == each.raw || !IsCalled(name, symbol)) continue;
    }
    if (each.chosen_at_run_time) {
      chosen_at_run_time = true;
      continue;
    }
    // Symbols whose code is in another file are skipped.
    if (const auto offset = OffsetOf(*file, each.address)) {
      found.try_emplace(*offset, FoundFunction{symbols::Demangle(name), *offset, each.address});
    }
  }
  if (found.empty() && chosen_at_run_time) {
    return util::Error{
        fmt::format("{}: '{}' is one of several functions, chosen when the program is loaded", path,
                    symbol),
        fmt::format("probe the one that this machine takes; near it: {}",
                    NearestNames(candidates, symbol))};
  }
  if (found.empty() && candidates.empty()) {
    return util::Error{
        fmt::format("{} has no symbols: it was stripped", path),
        "install its debug symbols (Debian: the package with -dbgsym), which are found by build id "
        "in /usr/lib/debug"};
  }
  if (found.empty() && is_pattern) {
    return util::Error{fmt::format("{} has no function that '{}' matches", path, symbol),
                       "patterns match names without their parameters: 'shop::*'"};
  }
  if (found.empty()) {
    return util::Error{fmt::format("{} has no function '{}'", path, symbol),
                       fmt::format("near it: {}", NearestNames(candidates, symbol))};
  }
  if (is_pattern && found.size() > FXR_MAX_PROBES) {
    return util::Error{
        fmt::format("{}: '{}' matches {} functions", path, symbol, found.size()),
        fmt::format("at most {} can be probed at once: narrow the pattern down", FXR_MAX_PROBES)};
  }
  std::vector<FoundFunction> functions;
  for (auto& [offset, function] : found) functions.push_back(std::move(function));
  return functions;
}

}  // namespace probes
