// SPDX-License-Identifier: BSD-2-Clause
// Opens files whose path other users may control: perf maps, executables, debug files. The reader
// may be root, so the path must not lead it to a file that its owner chose to hide from others.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "util/result.h"
#include "util/unique_fd.h"

namespace symbols {

struct FileRules {
  // The directory in which absolute paths, links and ".." are resolved, as by chroot(2). May be
  // /proc/PID/root, which enters the process's mount namespace. Empty: this process's own root.
  std::string root = {};
  // Symbolic links are followed if root or this process's user owns them. False: never.
  bool follow_links = true;
  // The users, besides root, that may own the file; empty: any.
  std::vector<uid_t> owners = {};
  // Bytes; a larger file is an error.
  uint64_t max_bytes = uint64_t{1} << 32;
};

// Opens a regular file for reading. Looks it up one component at a time, without following links
// implicitly, checks what it found, and opens that. Opening therefore has no side effects of
// devices and pipes, and the file cannot be exchanged meanwhile.
util::Result<util::UniqueFd> OpenRegularFile(const std::string& path, const FileRules& rules);

// Opens the file that a link in /proc/PID/map_files leads to, if it is a regular one.
util::Result<util::UniqueFd> OpenMappedFile(const std::string& link);

}  // namespace symbols
