// SPDX-License-Identifier: BSD-2-Clause
// Whose files, links and directories an output may meet. What root writes is worth planting traps
// for in directories that others write, so these are the rules of the kernel's
// fs.protected_symlinks, fs.protected_regular and fs.protected_fifos at their strictest, and
// perf's, whatever the kernel is set to.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

namespace output {

// This process's user, root, or the user behind sudo: they need no trap to get what we write.
bool IsTrusted(uid_t owner);

// Others may make entries in this directory: it is world-writable, or sticky and group-writable.
bool IsShared(const struct stat& directory);

// Whether a symbolic link in `directory` may be followed on the way to an output.
bool MayFollow(const struct stat& link, const struct stat& directory);

}  // namespace output
