// SPDX-License-Identifier: BSD-2-Clause
// Where a path leads, as something that nobody can exchange behind our back.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <optional>
#include <string>

#include "util/result.h"
#include "util/unique_fd.h"

namespace output {

struct OutputPlace {
  util::UniqueFd directory;  // O_PATH
  std::string name;          // in `directory`; never a link, but see `magic_link`
  // What has the name by now, if anything, and O_PATH to it.
  util::UniqueFd entry;
  std::optional<struct stat> existing;
  // /proc/self/fd/1 and its like: a link that only the kernel can follow. `existing` is of what it
  // leads to.
  bool magic_link = false;
};

// Walks `path` one component at a time, each from the descriptor of the one before, and follows
// links as owner_rules.h allows, in directories too. An error says which component stands in the
// way; `option` is what its hint tells to use instead.
util::Result<OutputPlace> FindPlace(const std::string& path, const std::string& option);

// Status of the same file, whatever its name.
bool IsSameFile(const struct stat& a, const struct stat& b);

// The same name in the same directory, or the same file under two names.
bool IsSamePlace(const OutputPlace& one, const OutputPlace& other);

// "cannot write PATH: why", with a hint where there is something to do.
util::Error OpenError(const std::string& path, int error_number, const std::string& option);

// What is at `path` is not ours to write.
util::Error ForeignOwner(const std::string& path, uid_t owner, const std::string& option);

}  // namespace output
