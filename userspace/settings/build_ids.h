// SPDX-License-Identifier: BSD-2-Clause
// Reads build ids of executables and shared libraries, and caches them by file.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

namespace settings {

class BuildIds {
 public:
  static constexpr const char* kNone = "none";
  static constexpr const char* kUnreadable = "unreadable";

  // The build id in hexadecimal of the file at `path`, whose links are followed: a link of /proc
  // (exe, map_files) leads to the file that is mapped, even if it was replaced. kNone for a file
  // without a note, and kUnreadable for one that is no ELF file or cannot be read.
  std::string Of(const std::string& path);

 private:
  // Device, inode, size and time of modification, ns.
  using File = std::tuple<dev_t, ino_t, off_t, int64_t>;
  std::map<File, std::string> known_;  // cleared beyond some thousands
};

}  // namespace settings
