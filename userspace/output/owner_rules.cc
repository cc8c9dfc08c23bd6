// SPDX-License-Identifier: BSD-2-Clause
#include "output/owner_rules.h"

#include <unistd.h>

#include "output/sudo_user.h"

namespace output {

bool IsTrusted(uid_t owner) {
  if (owner == 0 || owner == geteuid()) return true;
  // Anybody can set SUDO_UID; only from root's own environment does it say something.
  if (geteuid() != 0) return false;
  const auto user = UserBehindSudo();
  return user && user->uid == owner;
}

bool IsShared(const struct stat& directory) {
  const mode_t mode = directory.st_mode;
  return (mode & S_IWOTH) != 0 || ((mode & S_ISVTX) != 0 && (mode & S_IWGRP) != 0);
}

bool MayFollow(const struct stat& link, const struct stat& directory) {
  return !IsShared(directory) || link.st_uid == 0 || link.st_uid == geteuid();
}

}  // namespace output
