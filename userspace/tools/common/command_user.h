// SPDX-License-Identifier: BSD-2-Clause
// As whom the command runs.
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
  bool is_caller = false;  // who called sudo, and would not have its variables then

  // The user of that name, or of the number in `#NUMBER`.
  static util::Result<CommandUser> Find(const std::string& name);
  // The user who called sudo.
  static util::Result<CommandUser> FindCaller();

  // Makes this process that user, with its groups and HOME, SHELL, USER, LOGNAME and MAIL; for
  // good. 0, or errno.
  int Become() const;
};

}  // namespace tools
