// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/perf_map.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "symbols/regular_file.h"

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

// Collects the functions of a list, fed in pieces of any size.
class PerfMapParser {
 public:
  // Returns false beyond the limits.
  bool Add(std::string_view text) {
    while (!text.empty()) {
      const size_t end = text.find('\n');
      if (end == std::string_view::npos) {
        // The longest line that is kept has two numbers and a name.
        constexpr size_t kMaxLine = 64 << 10;
        if (partial_.size() < kMaxLine) partial_.append(text);
        return true;
      }
      if (partial_.empty()) {
        if (!AddLine(text.substr(0, end))) return false;
      } else {
        partial_.append(text.substr(0, end));
        const bool fits = AddLine(partial_);
        partial_.clear();
        if (!fits) return false;
      }
      text.remove_prefix(end + 1);
    }
    return true;
  }

  std::optional<SymbolTable> Finish() {
    if (!AddLine(partial_)) return std::nullopt;
    SymbolTable table;
    for (auto function = functions_.begin(); function != functions_.end();) {
      table.Add(function->first, function->second.size, function->second.name, SymbolRank::kGlobal);
      function = functions_.erase(function);
    }
    table.Finish();
    return table;
  }

 private:
  struct Function {
    uint64_t size = 0;
    std::string name;
  };
  using Functions = std::map<uint64_t, Function>;

  bool AddLine(std::string_view line) {
    uint64_t start = 0;
    uint64_t size = 0;
    if (!TakeNumber(&line, &start) || !TakeNumber(&line, &size)) return true;
    if (size == 0 || size > UINT64_MAX - start || line.empty()) return true;
    auto covered = functions_.lower_bound(start);
    if (covered != functions_.begin()) {
      auto before = std::prev(covered);
      before->second.size = std::min(before->second.size, start - before->first);
    }
    while (covered != functions_.end() && covered->first < start + size) {
      name_bytes_ -= covered->second.name.size();
      covered = functions_.erase(covered);
    }
    name_bytes_ += line.size();
    functions_[start] = {size, std::string(line)};
    return functions_.size() <= kMaxPerfMapFunctions && name_bytes_ <= kMaxPerfMapNames;
  }

  Functions functions_;
  size_t name_bytes_ = 0;
  std::string partial_;  // a line whose end is still to come
};

// What /proc/PID/status has of a process.
struct ProcessStatus {
  std::vector<uid_t> users;  // real and effective
  uint32_t inner_pid = 0;    // in the process's own pid namespace
};

std::optional<ProcessStatus> ReadStatus(const std::string& directory) {
  std::ifstream file(directory + "/status");
  ProcessStatus status;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "Uid:") {
      uid_t real = 0;
      uid_t effective = 0;
      if (words >> real >> effective) status.users = {real, effective};
    } else if (key == "NSpid:") {
      for (uint32_t pid = 0; words >> pid;) status.inner_pid = pid;
    }
  }
  if (status.users.empty()) return std::nullopt;
  return status;
}

util::Result<SymbolTable> ReadList(const std::string& path, const FileRules& rules) {
  auto fd = OpenRegularFile(path, rules);
  if (!fd) return fd.TakeError();
  PerfMapParser parser;
  std::string piece(size_t{1} << 20, '\0');
  // The file may grow meanwhile.
  for (uint64_t total = 0; total < kMaxPerfMapBytes;) {
    const ssize_t size = read(fd->get(), piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return util::Error{fmt::format("{}: {}", path, strerror(errno)), ""};
    if (size == 0) break;
    total += static_cast<uint64_t>(size);
    if (!parser.Add(std::string_view(piece).substr(0, static_cast<size_t>(size)))) {
      return util::Error{fmt::format("{}: too many functions", path), ""};
    }
  }
  auto table = parser.Finish();
  if (!table) return util::Error{fmt::format("{}: too many functions", path), ""};
  return std::move(*table);
}

}  // namespace

std::optional<SymbolTable> ParsePerfMap(std::string_view text) {
  PerfMapParser parser;
  if (!parser.Add(text)) return std::nullopt;
  return parser.Finish();
}

util::Result<SymbolTable> ReadPerfMap(const PerfMapSource& source) {
  FileRules rules{.root = source.root, .follow_links = false, .max_bytes = kMaxPerfMapBytes};
  uint32_t pid = source.pid;
  if (source.user) rules.owners = {*source.user};
  if (source.root.empty()) {
    const std::string directory = fmt::format("{}/{}", source.proc, source.pid);
    const auto status = ReadStatus(directory);
    // Another user's process has the pid of the recorded one, which is gone, by now.
    const bool is_same =
        status &&
        (!source.user || std::ranges::find(status->users, *source.user) != status->users.end());
    const std::string root = directory + "/root";
    if (is_same) rules.owners = status->users;
    if (is_same && access(root.c_str(), X_OK) == 0) {
      rules.root = root;
      if (status->inner_pid != 0) pid = status->inner_pid;
    }
  }
  // An unknown user's list is only taken from root or from this process's user.
  if (rules.owners.empty()) rules.owners = {geteuid()};
  return ReadList(fmt::format("/tmp/perf-{}.map", pid), rules);
}

}  // namespace symbols
