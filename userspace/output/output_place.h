// SPDX-License-Identifier: BSD-2-Clause
// Resolves an output path to a directory descriptor and a name that other users cannot exchange.
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
  std::string name;          // in `directory`; never a link, except for `magic_link`
  // The file that has the name now, if any, and an O_PATH descriptor of it.
  util::UniqueFd entry;
  std::optional<struct stat> existing;
  // /proc/self/fd/1 and the like: a link that only the kernel can follow. `existing` is its
  // target's.
  bool magic_link = false;
};

// Resolves `path` one component at a time, each relative to the descriptor of the one before.
// Follows links only as owner_rules.h allows, in directories too. An error names the component; its
// hint names `option`.
util::Result<OutputPlace> FindPlace(const std::string& path, const std::string& option);

// True if both are of the same file, whatever its name.
bool IsSameFile(const struct stat& a, const struct stat& b);

// True for the same name in the same directory, or the same file under two names.
bool IsSamePlace(const OutputPlace& one, const OutputPlace& other);

// "cannot write PATH: reason", with a hint if there is a remedy.
util::Error OpenError(const std::string& path, int error_number, const std::string& option);

// The error for a file of another user at `path`.
util::Error WrongOwner(const std::string& path, uid_t owner, const std::string& option);

}  // namespace output
