// SPDX-License-Identifier: BSD-2-Clause
// Reads the limits and weights of control groups of both versions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "schema/settings.h"
#include "settings/small_file.h"

namespace settings {

class CgroupReader {
 public:
  explicit CgroupReader(const Roots& roots = {});

  // The groups of a process and those above them, by the text of /proc/PID/cgroup, in hierarchies
  // with settings: "/a/b" for version 2, "cpu:/a/b" for version 1. A group outside of the
  // mounted tree is left out. At most 64.
  std::vector<std::string> GroupsOf(std::string_view proc_cgroup) const;
  // The process's own group in each of those hierarchies, sorted and joined by ";".
  std::string OwnGroupsOf(std::string_view proc_cgroup) const;

  // All settings of a group; no values if it is gone.
  schema::Settings Read(const std::string& group) const;

 private:
  // Mount points by controller; "" is the default hierarchy.
  std::map<std::string, std::string> mounts_;
};

}  // namespace settings
