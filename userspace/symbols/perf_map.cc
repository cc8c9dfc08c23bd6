// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/perf_map.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>

#include "util/unique_fd.h"

namespace symbols {
namespace {

// Parses a hexadecimal number and a following space; false if there is none.
bool TakeNumber(std::string_view* line, uint64_t* value) {
  if (line->starts_with("0x")) line->remove_prefix(2);
  const auto read = std::from_chars(line->data(), line->data() + line->size(), *value, 16);
  if (read.ec != std::errc()) return false;
  line->remove_prefix(static_cast<size_t>(read.ptr - line->data()));
  if (line->empty() || line->front() != ' ') return false;
  line->remove_prefix(std::min(line->find_first_not_of(' '), line->size()));
  return true;
}

struct Function {
  uint64_t size = 0;
  std::string_view name;
};

}  // namespace

SymbolTable ParsePerfMap(std::string_view text) {
  std::map<uint64_t, Function> functions;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    uint64_t start = 0;
    Function function;
    if (!TakeNumber(&line, &start) || !TakeNumber(&line, &function.size)) continue;
    if (function.size == 0 || function.size > UINT64_MAX - start || line.empty()) continue;
    function.name = line;
    auto covered = functions.lower_bound(start);
    if (covered != functions.begin()) {
      auto before = std::prev(covered);
      before->second.size = std::min(before->second.size, start - before->first);
    }
    while (covered != functions.end() && covered->first < start + function.size) {
      covered = functions.erase(covered);
    }
    functions[start] = function;
  }
  SymbolTable table;
  for (const auto& [start, function] : functions) {
    table.Add(start, function.size, function.name, SymbolRank::kGlobal);
  }
  table.Finish();
  return table;
}

util::Result<SymbolTable> ReadPerfMap(const std::string& path) {
  // Anybody may put something there, a pipe that nobody writes to as well.
  const util::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return util::Error{fmt::format("{}: {}", path, strerror(errno)), ""};
  struct stat status {};
  if (fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return util::Error{fmt::format("{}: no regular file", path), ""};
  }
  if (static_cast<uint64_t>(status.st_size) > kMaxPerfMapBytes) {
    return util::Error{fmt::format("{}: too large", path), ""};
  }
  std::string text(static_cast<size_t>(status.st_size), '\0');
  size_t have = 0;
  while (have < text.size()) {
    const ssize_t got = read(fd.get(), text.data() + have, text.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return util::Error{fmt::format("{}: {}", path, strerror(errno)), ""};
    if (got == 0) break;
    have += static_cast<size_t>(got);
  }
  text.resize(have);
  return ParsePerfMap(text);
}

}  // namespace symbols
