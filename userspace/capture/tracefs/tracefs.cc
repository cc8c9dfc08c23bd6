// SPDX-License-Identifier: BSD-2-Clause
#include "capture/tracefs/tracefs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "capture/tracefs/format_parser.h"
#include "util/nearest.h"

namespace capture {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUsualPlaces[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

// A detached mount: fsopen(2), fsconfig(2), fsmount(2); Linux 5.2.
util::UniqueFd MountPrivately() {
  const util::UniqueFd context(static_cast<int>(syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC)));
  if (!context) return {};
  if (syscall(SYS_fsconfig, context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    return {};
  }
  return util::UniqueFd(static_cast<int>(syscall(SYS_fsmount, context.get(), FSMOUNT_CLOEXEC, 0)));
}

std::string ReadAll(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

util::Result<Tracefs> Tracefs::Open() {
  std::error_code error;
  for (const char* place : kUsualPlaces) {
    if (fs::exists(fs::path(place) / "events/sched", error)) return Tracefs(place);
  }
  util::UniqueFd mount = MountPrivately();
  if (!mount) {
    const int why = errno;
    return util::Error{
        fmt::format("cannot read what tracepoints there are: {}", strerror(why)),
        "it takes root, and a kernel with tracefs, mounted at /sys/kernel/tracing or not"};
  }
  Tracefs tracefs(fmt::format("/proc/self/fd/{}", mount.get()));
  tracefs.mount_ = std::move(mount);
  if (!fs::exists(fs::path(tracefs.path_) / "events/sched", error)) {
    return util::Error{"cannot read what tracepoints there are: tracefs has no events", ""};
  }
  return tracefs;
}

std::vector<std::string> Tracefs::Names() const {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& system : fs::directory_iterator(fs::path(path_) / "events/", error)) {
    const std::string system_name = system.path().filename().string();
    // These events describe ftrace's own records; nothing can be attached to them.
    if (system_name == "ftrace" || !system.is_directory(error)) continue;
    for (const auto& event : fs::directory_iterator(system.path(), error)) {
      // Tracepoints that perf can record have an id.
      if (!fs::exists(event.path() / "id", error)) continue;
      names.push_back(fmt::format("{}:{}", system_name, event.path().filename().string()));
    }
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> Tracefs::Match(const std::vector<std::string>& names,
                                        const std::string& pattern) {
  std::vector<std::string> matches;
  std::ranges::copy_if(names, std::back_inserter(matches), [&](const std::string& name) {
    return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
  return matches;
}

util::Error Tracefs::NoSuch(const std::vector<std::string>& names, const std::string& pattern) {
  constexpr size_t kMaxSuggestions = 3;
  // For a name without a system, suggests those with the same event name.
  std::vector<std::string> nearest;
  if (pattern.find(':') == std::string::npos) nearest = Match(names, "*:" + pattern);
  if (nearest.size() > kMaxSuggestions) nearest.resize(kMaxSuggestions);
  std::vector<std::string> rest = names;
  while (nearest.size() < kMaxSuggestions && !rest.empty()) {
    const std::string next = util::Nearest(pattern, rest);
    std::erase(rest, next);
    if (std::ranges::find(nearest, next) == nearest.end()) nearest.push_back(next);
  }
  return {fmt::format("this kernel has no tracepoint '{}'", pattern),
          fmt::format("the nearest are {}; fxt-record --list-events shows all",
                      fmt::join(nearest, ", "))};
}

std::unordered_set<std::string> Tracefs::TraceableFunctions() const {
  std::unordered_set<std::string> names;
  std::ifstream file(fs::path(path_) / "available_filter_functions");
  for (std::string line; std::getline(file, line);) {
    line.resize(std::min(line.find(' '), line.size()));  // [module] follows
    names.insert(std::move(line));
  }
  return names;
}

util::Result<schema::TracepointFormat> Tracefs::Format(std::string_view name) const {
  const size_t colon = name.find(':');
  const std::string_view system = name.substr(0, colon);
  const fs::path directory = fs::path(path_) / "events" / system / name.substr(colon + 1);
  auto format = ParseFormat(system, ReadAll(directory / "format"));
  if (!format) {
    return util::Error{
        fmt::format("tracepoint {} cannot be recorded: {}", name, format.error().message), ""};
  }
  return format;
}

}  // namespace capture
