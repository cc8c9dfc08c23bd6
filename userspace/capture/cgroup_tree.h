// SPDX-License-Identifier: BSD-2-Clause
// Finds the paths of the cgroups of one mounted hierarchy by their ids.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "util/unique_fd.h"

namespace capture {

// The mount of the default hierarchy (version 2), or of the version 1 hierarchy that has
// `controller`; empty if there is none. `proc` is the root of /proc.
std::string FindCgroupMount(const std::string& proc, std::string_view controller = "");

class CgroupTree {
 public:
  // An empty mount is a hierarchy without groups.
  explicit CgroupTree(std::string mount);

  // "/" for the root; empty if no group of the hierarchy has this id.
  std::string PathOf(uint64_t id);

  const std::string& mount() const { return mount_; }
  const util::UniqueFd& fd() const { return fd_; }

 private:
  std::string mount_;
  util::UniqueFd fd_;
  // Cleared beyond a few thousand entries.
  std::unordered_map<uint64_t, std::string> paths_;
};

}  // namespace capture
