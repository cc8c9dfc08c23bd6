// SPDX-License-Identifier: BSD-2-Clause
// The user who ran sudo owns what was recorded for them.
#pragma once

#include <sys/types.h>

#include <optional>

#include "util/result.h"

namespace output {

struct SudoUser {
  uid_t uid = 0;
  gid_t gid = 0;
};

// From SUDO_UID and SUDO_GID; none if these are not set, are not numbers, or name root.
std::optional<SudoUser> UserBehindSudo();

// Makes that user the owner of the open file `fd`. Ok without doing anything where there is no such
// user or this process is not root.
util::Status GiveToSudoUser(int fd);

}  // namespace output
