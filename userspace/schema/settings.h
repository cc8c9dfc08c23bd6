// SPDX-License-Identifier: BSD-2-Clause
// Settings of the machine and of its processes, as recorded in instants of category "settings". The
// instant's name is the scope. Its arguments are the subject, the process where there is one, and
// the settings.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace schema {

enum class SettingScope : uint8_t {
  kSystem,   // the kernel; no subject
  kDevice,   // a block or network device, by name
  kMount,    // a file system, by mount point
  kCgroup,   // by path; of version 1 "CONTROLLER:PATH"
  kProcess,  // by name, with its koid
  kCommand,  // environment and libraries of the recorded command, in the same way
};
inline constexpr size_t kSettingScopes = 6;
inline constexpr std::array<std::string_view, kSettingScopes> kSettingScopeNames = {
    "system", "device", "mount", "cgroup", "process", "command"};
constexpr std::string_view NameOf(SettingScope scope) {
  return kSettingScopeNames[static_cast<size_t>(scope)];
}
constexpr std::optional<SettingScope> SettingScopeNamed(std::string_view name) {
  for (size_t i = 0; i < kSettingScopes; ++i) {
    if (kSettingScopeNames[i] == name) return static_cast<SettingScope>(i);
  }
  return std::nullopt;
}
constexpr bool HasProcess(SettingScope scope) {
  return scope == SettingScope::kProcess || scope == SettingScope::kCommand;
}

namespace setting {
// The argument that names the subject; it stands before the settings.
inline constexpr std::string_view kSubject = "subject";
// Settings of processes. A record with the executable replaces all settings of the process.
inline constexpr std::string_view kExecutable = "executable";
inline constexpr std::string_view kCommandLine = "command_line";
inline constexpr std::string_view kCgroup = "cgroup";
inline constexpr std::string_view kAffinity = "cpus_allowed";
inline constexpr std::string_view kPolicy = "policy";
// The kernel's group of the session, for processes without a cgroup that weighs them:
// "/autogroup-57", or kNoAutogroup. Its number is another one each time, and is not compared.
inline constexpr std::string_view kAutogroup = "autogroup";
inline constexpr std::string_view kNoAutogroup = "none";
inline constexpr std::string_view kAutogroupNice = "autogroup_nice";
// The prefix of settings of a thread that differ from those of its process: see
// ThreadSettingPrefix().
inline constexpr std::string_view kThread = "thread.";
// They change by themselves, and are not compared.
inline constexpr std::string_view kThreads = "threads";
inline constexpr std::string_view kOomScore = "oom_score";
// Settings of the command: the key's identity; the prefixes of a variable (the value is its hash)
// and of a shared library (its build id).
inline constexpr std::string_view kEnvironmentKey = "environment_key";
inline constexpr std::string_view kEnvironment = "env.";
inline constexpr std::string_view kLibrary = "library.";
}  // namespace setting

// A setting of one thread: "thread.NAME/TID.SETTING".
inline std::string ThreadSettingPrefix(std::string_view name, uint32_t tid) {
  return std::string(setting::kThread) + std::string(name) + "/" + std::to_string(tid) + ".";
}
struct ThreadSetting {
  std::string_view thread;
  uint32_t tid = 0;
  std::string_view name;
};
// Valid as long as the text; empty for other settings.
inline std::optional<ThreadSetting> AsThreadSetting(std::string_view text) {
  if (!text.starts_with(setting::kThread)) return std::nullopt;
  text.remove_prefix(setting::kThread.size());
  // Names of threads may have slashes and dots, names of settings have none.
  const size_t dot = text.rfind('.');
  const size_t slash = text.rfind('/', dot);
  if (dot == std::string_view::npos || slash == std::string_view::npos) return std::nullopt;
  ThreadSetting setting{.thread = text.substr(0, slash), .tid = 0, .name = text.substr(dot + 1)};
  const std::string_view number = text.substr(slash + 1, dot - slash - 1);
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), setting.tid);
  if (parsed.ec != std::errc() || parsed.ptr != number.data() + number.size()) return std::nullopt;
  return setting;
}

using SettingValue = std::variant<int64_t, std::string>;
using Setting = std::pair<std::string, SettingValue>;

// Settings of one subject: all of them, or those that changed.
struct Settings {
  SettingScope scope = SettingScope::kSystem;
  std::string subject;
  uint32_t pid = 0;  // the process's tgid, as numbered in the file; 0: none
  std::vector<Setting> values;

  // Memory, about.
  size_t bytes() const {
    size_t sum = sizeof(Settings) + subject.size();
    for (const auto& [name, value] : values) {
      const auto* text = std::get_if<std::string>(&value);
      sum += sizeof(Setting) + name.size() + (text != nullptr ? text->size() : 0);
    }
    return sum;
  }
};

}  // namespace schema
