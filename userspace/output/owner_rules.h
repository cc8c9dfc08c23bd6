// SPDX-License-Identifier: BSD-2-Clause
// Decides which existing files, links and directories an output may use. Output of root is a target
// for links planted in shared directories. These rules equal the strictest settings of
// fs.protected_symlinks, fs.protected_regular and fs.protected_fifos, and those of perf, whatever
// the kernel's settings are.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <optional>
#include <string>

#include "util/result.h"
#include "util/unique_fd.h"

namespace output {

// This process's user, root, or the user behind sudo, who receive the output anyway.
bool IsTrusted(uid_t owner);

// Opens a file that this program keeps beside another one, for reading: a regular file of a trusted
// owner with one name, which no other user may write to. Follows no link at its end and waits for
// no FIFO. No descriptor for all others.
util::UniqueFd OpenTrusted(const std::string& path);

// Other users may create entries in this directory: it is world-writable, or sticky and
// group-writable.
bool IsShared(const struct stat& directory);

// True if a symbolic link in `directory` may be followed.
bool MayFollow(const struct stat& link, const struct stat& directory);

struct SudoUser {
  uid_t uid = 0;
  gid_t gid = 0;
};

// From SUDO_UID and SUDO_GID; empty if they are not set, are not numbers, or name root.
std::optional<SudoUser> UserBehindSudo();

// Makes that user the owner of the open file `fd`. Returns Ok if there is no such user or this
// process is not root.
util::Status GiveToSudoUser(int fd);

}  // namespace output
