// SPDX-License-Identifier: BSD-2-Clause
#include "settings/process_settings.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include "model/command_line.h"
#include "util/clock.h"
#include "util/scheduling_attributes.h"
#include "util/unique_fd.h"

namespace settings {
namespace {

using schema::Settings;
using schema::SettingScope;

constexpr size_t kMostVariables = 500;
constexpr size_t kMostLibraries = 500;
// Threads of a process that are looked at, and that are reported.
constexpr size_t kMostThreads = 1000;
constexpr size_t kMostOtherThreads = 64;
constexpr size_t kMostNameBytes = 200;
constexpr size_t kMostEnvironmentBytes = size_t{1} << 20;
constexpr size_t kMostMapsBytes = size_t{4} << 20;

constexpr const char* kUnreadable = "unreadable";

// Hexadecimal; "none" for a file without one.
std::string BuildIdText(const std::optional<util::BuildId>& id) {
  return !id ? kUnreadable : id->empty() ? "none" : id->ToHex();
}

std::string PolicyName(uint32_t policy) {
  constexpr std::array<const char*, 8> kNames = {"other", "fifo", "rr",       "batch",
                                                 "",      "idle", "deadline", "ext"};
  const std::string name = policy < kNames.size() ? kNames[policy] : "";
  return name.empty() ? std::to_string(policy) : name;
}

// "0-3,8"
std::string CpuListOf(const cpu_set_t* set, size_t bytes) {
  std::string text;
  const int count = static_cast<int>(bytes * 8);
  for (int cpu = 0; cpu < count; ++cpu) {
    if (!CPU_ISSET_S(cpu, bytes, set)) continue;
    int last = cpu;
    while (last + 1 < count && CPU_ISSET_S(last + 1, bytes, set)) ++last;
    if (!text.empty()) text += ',';
    text += last == cpu ? std::to_string(cpu) : fmt::format("{}-{}", cpu, last);
    cpu = last;
  }
  return text;
}

void AddScheduling(uint32_t number, Settings& to) {
  util::SchedulingAttributes attributes{};
  const auto pid = static_cast<pid_t>(number);
  if (syscall(SYS_sched_getattr, pid, &attributes, sizeof(attributes), 0) == 0) {
    to.values.emplace_back("policy", PolicyName(attributes.policy));
    to.values.emplace_back("nice", int64_t{attributes.nice});
    if (attributes.priority != 0) {
      to.values.emplace_back("rt_priority", int64_t{attributes.priority});
    }
    // The runtime of deadline tasks, and the slice of other tasks from 6.12 on.
    for (const auto& [name, value] : {std::pair("sched_runtime_ns", attributes.runtime),
                                      {"sched_deadline_ns", attributes.deadline},
                                      {"sched_period_ns", attributes.period}}) {
      if (value != 0) to.values.emplace_back(name, static_cast<int64_t>(value));
    }
  }
  // The kernel's 8192 CPUs at most.
  std::array<unsigned long, 8192 / 8 / sizeof(unsigned long)> cpus{};
  auto* set = reinterpret_cast<cpu_set_t*>(cpus.data());
  const long bytes = syscall(SYS_sched_getaffinity, pid, sizeof(cpus), set);
  if (bytes > 0) {
    to.values.emplace_back("cpus_allowed", CpuListOf(set, static_cast<size_t>(bytes)));
  }
}

// The threads whose scheduling is not that of the process, each value as "thread.NAME/TID.SETTING".
void AddThreads(const std::string& path, uint32_t number, Settings& to) {
  Settings own;
  AddScheduling(number, own);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir((path + "/task").c_str()), &closedir);
  size_t read = 0;
  size_t differ = 0;
  while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) {
    const auto tid = static_cast<uint32_t>(std::strtoul(entry->d_name, nullptr, 10));
    if (tid == 0 || tid == number) continue;
    if (++read > kMostThreads || differ >= kMostOtherThreads) return;
    Settings thread;
    AddScheduling(tid, thread);
    std::string prefix;
    for (schema::Setting& setting : thread.values) {
      if (std::find(own.values.begin(), own.values.end(), setting) != own.values.end()) continue;
      if (prefix.empty()) {
        ++differ;
        const auto name = ReadFile(fmt::format("{}/task/{}/comm", path, tid));
        prefix = schema::ThreadSettingPrefix(name.value_or(""), tid);
      }
      to.values.emplace_back(prefix + setting.first, std::move(setting.second));
    }
  }
}

// "Max open files   1024   524288   files" becomes limit.open_files = "1024:524288".
void AddLimits(std::string_view text, Settings& to) {
  std::istringstream lines{std::string(text)};
  std::string line;
  std::getline(lines, line);
  const size_t soft_at = line.find("Soft Limit");
  if (soft_at == std::string::npos) return;
  while (std::getline(lines, line)) {
    if (line.size() <= soft_at || !line.starts_with("Max ")) continue;
    std::string name = line.substr(4, soft_at - 4);
    while (!name.empty() && name.back() == ' ') name.pop_back();
    std::replace(name.begin(), name.end(), ' ', '_');
    std::istringstream rest(line.substr(soft_at));
    std::string soft, hard;
    if (rest >> soft >> hard) to.values.emplace_back("limit." + name, soft + ":" + hard);
  }
}

// The number of threads in /proc/PID/stat, whose second field may have spaces and parentheses.
std::optional<int64_t> ThreadsIn(std::string_view stat) {
  const size_t end = stat.rfind(')');
  if (end == std::string_view::npos) return std::nullopt;
  std::istringstream fields{std::string(stat.substr(end + 1))};
  std::string field;
  // From the state, the third field, to the twentieth.
  for (int i = 3; i <= 20; ++i) {
    if (!(fields >> field)) return std::nullopt;
  }
  const schema::SettingValue value = ValueOf(field);
  const auto* threads = std::get_if<int64_t>(&value);
  return threads == nullptr ? std::nullopt : std::optional(*threads);
}

// Adds the settings of "/autogroup-57 nice 0" (proc(5)), which is empty for the root autogroup.
void AddAutogroup(const std::string& text, Settings& to) {
  std::istringstream words(text);
  std::string name, label;
  int64_t nice = 0;
  if (!(words >> name)) name = schema::setting::kNoAutogroup;
  to.values.emplace_back(schema::setting::kAutogroup, name);
  if (words >> label >> nice) to.values.emplace_back(schema::setting::kAutogroupNice, nice);
}

// A range of /proc/PID/maps as map_files names it: "00400000-00452000" is "400000-452000".
std::string WithoutZeros(const std::string& range) {
  const size_t dash = std::min(range.find('-'), range.size());
  const auto strip = [](std::string_view number) {
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    return std::string(number.empty() ? "0" : number);
  };
  if (dash == range.size()) return range;
  return strip(std::string_view(range).substr(0, dash)) + "-" +
         strip(std::string_view(range).substr(dash + 1));
}

std::optional<std::pair<uint64_t, uint64_t>> FileAt(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return std::nullopt;
  return std::pair<uint64_t, uint64_t>(file.st_dev, file.st_ino);
}

std::string ReadLink(int folder, const char* name) {
  std::array<char, 4096> target;
  const ssize_t length = readlinkat(folder, name, target.data(), target.size());
  return {target.data(), length > 0 ? static_cast<size_t>(length) : 0};
}

}  // namespace

ProcessReader::ProcessReader(const Roots& roots) : roots_(roots), cgroups_(roots) {}

std::string ProcessReader::NameOf(uint32_t number) const {
  return ReadFile(fmt::format("{}/{}/comm", roots_.proc, number)).value_or("");
}

std::optional<std::pair<uint64_t, uint64_t>> ProcessReader::FileOf(uint32_t number) const {
  return FileAt(fmt::format("{}/{}/exe", roots_.proc, number));
}

std::optional<std::pair<uint64_t, uint64_t>> ProcessReader::OwnFile() const {
  return FileAt(roots_.proc + "/self/exe");
}

std::optional<ProcessReader::Process> ProcessReader::Read(uint32_t number, uint32_t pid) {
  // Reads through this descriptor fail once the process is gone, also if its number is used again.
  const std::string path = fmt::format("{}/{}", roots_.proc, number);
  const util::UniqueFd folder(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return std::nullopt;
  const auto read_file = [&](const char* name, size_t most = 4096) {
    return ReadFileAt(folder.get(), name, most).value_or("");
  };
  Process process;
  const std::string executable = ReadLink(folder.get(), "exe");
  const auto file = FileOf(number);
  if (executable.empty() || !file) return std::nullopt;
  process.file = *file;
  Settings& settings = process.settings;
  settings.scope = SettingScope::kProcess;
  settings.pid = pid;
  settings.subject = read_file("comm");
  auto& values = settings.values;
  values.emplace_back(schema::setting::kExecutable, executable);
  values.emplace_back("build_id", BuildIdText(build_ids_.OfPath(path + "/exe")));
  const std::string command_line = read_file("cmdline", size_t{1} << 20);
  values.emplace_back(schema::setting::kCommandLine,
                      model::MakeCommandLine(command_line, command_line.size()).text);
  AddScheduling(number, settings);
  // In a namespace of its own the threads have other numbers in the file.
  if (number == pid) AddThreads(path, number, settings);
  for (const char* name : {"timerslack_ns", "oom_score_adj", "oom_score"}) {
    if (std::string text = read_file(name); !text.empty()) {
      values.emplace_back(name, ValueOf(std::move(text)));
    }
  }
  AddLimits(read_file("limits"), settings);
  if (const auto threads = ThreadsIn(read_file("stat"))) {
    values.emplace_back(schema::setting::kThreads, *threads);
  }
  // A kernel without autogroups has no such file.
  if (const auto autogroup = ReadFileAt(folder.get(), "autogroup", 4096)) {
    AddAutogroup(*autogroup, settings);
  }
  process.proc_cgroup = read_file("cgroup", 65536);
  if (std::string groups = cgroups_.OwnGroupsOf(process.proc_cgroup); !groups.empty()) {
    values.emplace_back(schema::setting::kCgroup, std::move(groups));
  }
  process.time = util::MonotonicNow();
  // The number may have passed to another process, or the process may have executed another file.
  if (ReadLink(folder.get(), "exe") != executable || FileOf(number) != file) return std::nullopt;
  return process;
}

Settings ProcessReader::ReadScheduling(uint32_t number, uint32_t pid) const {
  Settings settings{
      .scope = SettingScope::kProcess, .subject = NameOf(number), .pid = pid, .values = {}};
  AddScheduling(number, settings);
  if (number == pid) AddThreads(fmt::format("{}/{}", roots_.proc, number), number, settings);
  return settings;
}

Settings ProcessReader::ReadEnvironment(uint32_t number, uint32_t pid, const HashKey& key) const {
  Settings settings{
      .scope = SettingScope::kCommand, .subject = NameOf(number), .pid = pid, .values = {}};
  const auto text =
      ReadFile(fmt::format("{}/{}/environ", roots_.proc, number), kMostEnvironmentBytes);
  if (!text || text->empty()) return settings;
  settings.values.emplace_back(schema::setting::kEnvironmentKey, key.Identity());
  std::set<std::string> names;
  for (size_t at = 0; at < text->size() && names.size() < kMostVariables;) {
    const size_t end = std::min(text->find('\0', at), text->size());
    const std::string_view variable = std::string_view(*text).substr(at, end - at);
    at = end + 1;
    const size_t sign = variable.find('=');
    // A name is short and printable; all else may be part of a value.
    if (sign == std::string_view::npos || sign == 0 || sign > kMostNameBytes) continue;
    const std::string name(variable.substr(0, sign));
    const bool is_name = std::all_of(name.begin(), name.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-';
    });
    // getenv() finds the first one.
    if (!is_name || !names.insert(name).second) continue;
    settings.values.emplace_back(std::string(schema::setting::kEnvironment) + name,
                                 key.HashOf(name, variable.substr(sign + 1)));
  }
  return settings;
}

Settings ProcessReader::ReadLibraries(uint32_t number, uint32_t pid) {
  Settings settings{
      .scope = SettingScope::kCommand, .subject = NameOf(number), .pid = pid, .values = {}};
  const std::string folder = fmt::format("{}/{}", roots_.proc, number);
  const auto executable = FileOf(number);
  std::istringstream maps(ReadFile(folder + "/maps", kMostMapsBytes).value_or(""));
  std::set<std::string> seen;
  for (std::string line; std::getline(maps, line) && seen.size() < kMostLibraries;) {
    // "start-end perms offset device inode path" (proc(5))
    std::istringstream fields(line);
    std::string range, permissions, offset, device, inode, path;
    fields >> range >> permissions >> offset >> device >> inode >> std::ws;
    if (!std::getline(fields, path) || !path.starts_with('/')) continue;
    if (permissions.find('x') == std::string::npos || path.size() > 1000) continue;
    if (!seen.insert(path).second) continue;
    const std::string mapped = folder + "/map_files/" + WithoutZeros(range);
    struct stat file {};
    const bool known = stat(mapped.c_str(), &file) == 0;
    if (known && executable == std::pair<uint64_t, uint64_t>(file.st_dev, file.st_ino)) continue;
    constexpr std::string_view kDeleted = " (deleted)";
    if (path.ends_with(kDeleted)) path.resize(path.size() - kDeleted.size());
    settings.values.emplace_back(std::string(schema::setting::kLibrary) + path,
                                 known ? BuildIdText(build_ids_.OfPath(mapped)) : kUnreadable);
  }
  return settings;
}

}  // namespace settings
