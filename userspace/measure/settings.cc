// SPDX-License-Identifier: BSD-2-Clause
#include "measure/settings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "measure/group_name.h"

namespace measure {
namespace {

// Ids of containers and pods have at least this many hexadecimal digits.
constexpr size_t kLeastIdDigits = 12;

}  // namespace

void SettingValues::Add(std::string value) {
  if (values.contains(value)) return;
  if (values.size() == kMost) {
    more = true;
  } else {
    values.insert(std::move(value));
  }
}

void SettingValues::Merge(const SettingValues& other) {
  more = more || other.more;
  for (const std::string& value : other.values) Add(value);
}

void MergeSettings(SettingMap& into, const SettingMap& other) {
  for (const auto& [key, values] : other) {
    if (into.size() >= kMostSettings && !into.contains(key)) continue;
    into[key].Merge(values);
  }
}

std::string FoldCgroup(std::string_view path) {
  std::string folded;
  for (size_t at = 0; at < path.size();) {
    size_t end = at;
    while (end < path.size() && std::isxdigit(static_cast<unsigned char>(path[end])) != 0) ++end;
    if (end - at >= kLeastIdDigits) {
      folded += '#';
      at = end;
    } else {
      end = std::max(end, at + 1);
      folded += path.substr(at, end - at);
      at = end;
    }
  }
  return FoldDigits(folded);
}

std::string FoldCommandLine(std::string_view command_line) {
  const size_t end = std::min(command_line.find(' '), command_line.size());
  const size_t slash = command_line.substr(0, end).rfind('/');
  if (slash != std::string_view::npos) command_line.remove_prefix(slash + 1);
  constexpr std::array<std::string_view, 4> kTemporary = {"/tmp/", "/var/tmp/", "/dev/shm/",
                                                          "/run/user/"};
  std::string folded;
  for (size_t at = 0; at < command_line.size();) {
    const std::string_view rest = command_line.substr(at);
    const auto* const folder =
        std::find_if(kTemporary.begin(), kTemporary.end(),
                     [&](std::string_view each) { return rest.starts_with(each); });
    // A path begins behind a space, "=", ":" and the like, not inside of another path.
    const bool begins =
        at == 0 || (std::isalnum(static_cast<unsigned char>(command_line[at - 1])) == 0 &&
                    std::string_view("._-/").find(command_line[at - 1]) == std::string_view::npos);
    if (folder == kTemporary.end() || !begins) {
      folded += command_line[at++];
      continue;
    }
    folded += *folder;
    folded += "...";
    at = std::min(command_line.find_first_of(" ,;:'\"", at), command_line.size());
  }
  return folded;
}

bool IsComparedVariable(std::string_view name) {
  constexpr std::array<std::string_view, 23> kOfRuns = {"_",
                                                        "COLUMNS",
                                                        "DBUS_SESSION_BUS_ADDRESS",
                                                        "GPG_TTY",
                                                        "INVOCATION_ID",
                                                        "JOURNAL_STREAM",
                                                        "LINES",
                                                        "MAKEFLAGS",
                                                        "MAKELEVEL",
                                                        "MFLAGS",
                                                        "OLDPWD",
                                                        "PWD",
                                                        "SHLVL",
                                                        "STY",
                                                        "SUDO_COMMAND",
                                                        "TMPDIR",
                                                        "TMUX",
                                                        "TMUX_PANE",
                                                        "WINDOWID",
                                                        "XAUTHORITY",
                                                        "XDG_SESSION_ID",
                                                        "XDG_VTNR",
                                                        "TERM_SESSION_ID"};
  if (name.starts_with("SSH_") || name.ends_with("_PID")) return false;
  return std::find(kOfRuns.begin(), kOfRuns.end(), name) == kOfRuns.end();
}

}  // namespace measure
