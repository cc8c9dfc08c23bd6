// SPDX-License-Identifier: BSD-2-Clause
// The settings of a capture in a form that can be compared with those of others: without process
// numbers, folders of programs, temporary paths, and what changes by itself.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "schema/settings.h"

namespace measure {

struct SettingKey {
  schema::SettingScope scope = schema::SettingScope::kSystem;
  // For processes: it is in the tree of the recorded command, as in GroupName.
  bool of_command = false;
  // For processes: GroupName::process; for cgroups: the path with '#' for numbers and ids.
  std::string subject;
  std::string name;

  auto operator<=>(const SettingKey&) const = default;
};

// The values that a setting had in a capture, of all processes of the name.
struct SettingValues {
  static constexpr size_t kMost = 8;

  std::set<std::string> values;  // not more than kMost
  bool more = false;             // there were others

  void Add(std::string value);
  void Merge(const SettingValues& other);
  bool operator==(const SettingValues&) const = default;
};

// Settings of threads that differ from those of their process: "NAME of thread THREAD".
inline constexpr std::string_view kOfThread = " of thread ";

using SettingMap = std::map<SettingKey, SettingValues>;
// Memory limit of a map; settings beyond are left out.
inline constexpr size_t kMostSettings = 20'000;

// Adds the values of another capture of the machine.
void MergeSettings(SettingMap& into, const SettingMap& other);

// "/user.slice/session-12.scope" and "/docker/3f..e1" without the numbers and ids of one run.
std::string FoldCgroup(std::string_view path);
// The program without its folder, and paths in folders of temporary files without what follows.
std::string FoldCommandLine(std::string_view command_line);
// False for variables that a session or a run sets, such as SSH_CONNECTION and SUDO_COMMAND.
bool IsComparedVariable(std::string_view name);

}  // namespace measure
