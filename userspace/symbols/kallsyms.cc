// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/kallsyms.h"

#include <fmt/core.h>

#include <charconv>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <span>

#include "symbols/build_id_note.h"

namespace symbols {

namespace {

struct Line {
  uint64_t address = 0;
  char type = 0;
  std::string_view name;
};

bool ParseLine(std::string_view text, Line* line) {
  const auto address = std::from_chars(text.data(), text.data() + text.size(), line->address, 16);
  if (address.ec != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(address.ptr - text.data()));
  if (text.size() < 4 || text[0] != ' ' || text[2] != ' ') return false;
  line->type = text[1];
  text.remove_prefix(3);
  line->name = text.substr(0, text.find_first_of("\t \r"));
  return !line->name.empty();
}

bool IsFunction(char type) { return type == 't' || type == 'T' || type == 'w' || type == 'W'; }

}  // namespace

util::Result<Kallsyms> ParseKallsyms(std::string_view text) {
  Kallsyms kallsyms;
  bool has_addresses = false;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view row = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    Line line;
    if (!ParseLine(row, &line)) continue;
    has_addresses |= line.address != 0;
    // The list has no sizes: a symbol that is not a function still ends the previous one.
    if (line.name == "_text" || (line.name == "_stext" && !kallsyms.text_start)) {
      kallsyms.text_start = line.address;
    }
    if (!IsFunction(line.type)) continue;
    const SymbolRank rank = line.type == 'T'   ? SymbolRank::kGlobal
                            : line.type == 't' ? SymbolRank::kLocal
                                               : SymbolRank::kWeak;
    kallsyms.functions.Add(line.address, 0, line.name, rank);
  }
  if (!has_addresses) {
    return util::Error{"kallsyms has no addresses",
                       "the kernel hides them: read it as root, or set kernel.kptr_restrict to 0"};
  }
  kallsyms.functions.Finish();
  return kallsyms;
}

util::Result<Kallsyms> ReadKallsyms(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return util::Error{fmt::format("{}: cannot open", path), ""};
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  util::Result<Kallsyms> kallsyms = ParseKallsyms(text);
  if (kallsyms) return kallsyms;
  return util::Error{fmt::format("{}: {}", path, kallsyms.error().message), kallsyms.error().hint};
}

std::optional<KernelText> FindKernelText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  uint64_t start = 0;
  uint64_t end = 0;
  Line line;
  for (std::string row; (start == 0 || end == 0) && std::getline(file, row);) {
    if (!ParseLine(row, &line)) continue;
    if (line.name == "_text") start = line.address;
    if (line.name == "_etext") end = line.address;
  }
  if (start == 0 || end <= start) return std::nullopt;
  return KernelText{start, end - start};
}

util::BuildId RunningKernelBuildId(const std::string& notes_path) {
  std::ifstream file(notes_path, std::ios::binary);
  const std::string notes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return FindBuildId(std::as_bytes(std::span<const char>(notes)));
}

}  // namespace symbols
