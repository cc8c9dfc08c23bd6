// SPDX-License-Identifier: BSD-2-Clause
// Reads build ids of executables and shared libraries, and caches them by file.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "util/build_id.h"

namespace symbols {

// A file is identified by device, inode, size and time of change: it is read once, whatever its
// path, and again when it was written again in its place.
class BuildIdCache {
 public:
  // As ReadBuildId().
  std::optional<util::BuildId> Of(int fd);
  // That of the regular file at `path`, whose links are followed: a link of /proc (exe, map_files)
  // leads to the file that is mapped, even if it was replaced. Nothing for other files.
  std::optional<util::BuildId> OfPath(const std::string& path);
  // The answer for the file with this status; nullptr: it was not read yet.
  const std::optional<util::BuildId>* Find(const struct stat& status) const;

 private:
  // Device, inode, size, and time of change (ns).
  using File = std::tuple<dev_t, ino_t, off_t, int64_t>;
  static File FileOf(const struct stat& status);

  std::map<File, std::optional<util::BuildId>> known_;  // bounded
};

}  // namespace symbols
