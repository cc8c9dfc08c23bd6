// SPDX-License-Identifier: BSD-2-Clause
#include "tools/common/command_user.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>

#include "output/owner_rules.h"
#include "util/program_output.h"
#include "util/unique_fd.h"

namespace tools {
namespace {

struct CloseFile {
  void operator()(FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, CloseFile>;

std::optional<CommandUser> FindIn(FILE* file, const std::function<bool(const passwd&)>& fits) {
  if (file == nullptr) return std::nullopt;
  while (const passwd* entry = fgetpwent(file)) {
    if (!fits(*entry)) continue;
    CommandUser user;
    user.name = entry->pw_name;
    user.uid = entry->pw_uid;
    user.gid = entry->pw_gid;
    user.home = entry->pw_dir;
    user.shell = *entry->pw_shell != '\0' ? entry->pw_shell : "/bin/sh";
    return user;
  }
  return std::nullopt;
}

// A static program cannot load the modules of nsswitch.conf. getent(1) and id(1) find users and
// groups that are not in the files.
std::vector<gid_t> GroupsOf(const CommandUser& user) {
  std::vector<gid_t> groups;
  std::istringstream listed(util::OutputOf({"id", "-G", "--", user.name}));
  for (gid_t group = 0; listed >> group;) groups.push_back(group);
  if (!groups.empty()) return groups;
  groups.push_back(user.gid);
  const File file(std::fopen("/etc/group", "re"));
  while (file) {
    const group* entry = fgetgrent(file.get());
    if (entry == nullptr) break;
    for (char** member = entry->gr_mem; *member != nullptr; ++member) {
      if (user.name == *member && entry->gr_gid != user.gid) groups.push_back(entry->gr_gid);
    }
  }
  return groups;
}

// `key`: a name or number for getent(1).
std::optional<CommandUser> FindUser(const std::string& key,
                                    const std::function<bool(const passwd&)>& fits) {
  const File file(std::fopen("/etc/passwd", "re"));
  auto user = FindIn(file.get(), fits);
  if (!user) {
    std::string entry = util::OutputOf({"getent", "passwd", "--", key});
    if (entry.empty()) return std::nullopt;
    const File memory(fmemopen(entry.data(), entry.size(), "r"));
    user = FindIn(memory.get(), fits);
  }
  if (user) user->groups = GroupsOf(*user);
  return user;
}

std::optional<CommandUser> FindUser(uid_t uid) {
  return FindUser(std::to_string(uid), [&](const passwd& entry) { return entry.pw_uid == uid; });
}

}  // namespace

util::Result<CommandUser> CommandUser::Find(const std::string& name) {
  std::optional<CommandUser> user;
  if (name.starts_with('#')) {
    uid_t uid = 0;
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + 1, end, uid);
    if (error == std::errc() && stop == end) user = FindUser(uid);
  } else if (!name.empty()) {
    user = FindUser(name, [&](const passwd& entry) { return name == entry.pw_name; });
  }
  if (user) return *user;
  return util::Error{fmt::format("there is no user '{}'", name),
                     "--user takes a name of this machine, or #NUMBER"};
}

util::Result<CommandUser> CommandUser::FindCaller() {
  const char* uid = std::getenv("SUDO_UID");
  const auto caller = output::UserBehindSudo();
  if (!caller && (uid == nullptr || std::string_view(uid) != "0")) {
    return util::Error{"--as-caller needs sudo: SUDO_UID and SUDO_GID are not set",
                       "--user NAME names the user"};
  }
  const uid_t wanted = caller ? caller->uid : 0;
  const char* name = std::getenv("SUDO_USER");
  // Several names may share a number.
  auto user = name == nullptr ? std::nullopt : FindUser(name, [&](const passwd& entry) {
    return std::string_view(name) == entry.pw_name && entry.pw_uid == wanted;
  });
  if (!user) user = FindUser(wanted);
  if (!user) {
    return util::Error{fmt::format("there is no user {}, who called sudo", wanted), ""};
  }
  if (caller) user->gid = caller->gid;
  user->is_caller = true;
  return *user;
}

int CommandUser::Become() const {
  // Without privileges only the current user is possible.
  const bool is_already = geteuid() != 0 && geteuid() == uid && getuid() == uid;
  if (!is_already) {
    if (setgroups(groups.size(), groups.data()) != 0) return errno;
    if (setresgid(gid, gid, gid) != 0) return errno;
    if (setresuid(uid, uid, uid) != 0) return errno;
  }
  const std::string mail = "/var/mail/" + name;
  setenv("HOME", home.c_str(), 1);
  setenv("SHELL", shell.c_str(), 1);
  setenv("USER", name.c_str(), 1);
  setenv("LOGNAME", name.c_str(), 1);
  setenv("MAIL", mail.c_str(), 1);
  if (is_caller) {
    for (const char* variable :
         {"SUDO_UID", "SUDO_GID", "SUDO_USER", "SUDO_COMMAND", "SUDO_HOME"}) {
      unsetenv(variable);
    }
  }
  return 0;
}

}  // namespace tools
