// SPDX-License-Identifier: BSD-2-Clause
// The user as whom a command runs.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "util/result.h"

namespace tools {

struct CommandUser {
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
  std::string home;
  std::string shell;
  std::vector<gid_t> groups;
  bool is_caller = false;  // the user who called sudo; its environment is restored

  // Finds a user by name, or by number as `#NUMBER`.
  static util::Result<CommandUser> Find(const std::string& name);
  // Finds the user who called sudo.
  static util::Result<CommandUser> FindCaller();

  // Changes this process to that user for good, with its groups and HOME, SHELL, USER, LOGNAME and
  // MAIL. Returns 0 or errno.
  int Become() const;
};

}  // namespace tools
