// SPDX-License-Identifier: BSD-2-Clause
// Reads the settings of a process from /proc and by system calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "schema/settings.h"
#include "settings/cgroup_settings.h"
#include "settings/hash_key.h"
#include "settings/small_file.h"
#include "symbols/build_id_cache.h"

namespace settings {

class ProcessReader {
 public:
  explicit ProcessReader(const Roots& roots = {});

  struct Process {
    schema::Settings settings;  // the executable first
    std::string proc_cgroup;    // the text of /proc/PID/cgroup
    // Device and inode of the executable.
    std::pair<uint64_t, uint64_t> file;
    // When it still ran that executable, ns of util::MonotonicNow().
    uint64_t time = 0;
  };
  // `number` is the process's id in this /proc, `pid` that in the file. Empty if it is gone, or is
  // a thread of the kernel.
  std::optional<Process> Read(uint32_t number, uint32_t pid);

  // Affinity, policy and niceness, also of the threads whose own differ.
  schema::Settings ReadScheduling(uint32_t number, uint32_t pid) const;
  // Environment names with a hash of each value; at most 500.
  schema::Settings ReadEnvironment(uint32_t number, uint32_t pid, const HashKey& key) const;
  // Shared libraries and other files that are mapped to be executed, without the executable, with
  // their build ids; at most 500.
  schema::Settings ReadLibraries(uint32_t number, uint32_t pid);

  // Device and inode of the executable; empty without one.
  std::optional<std::pair<uint64_t, uint64_t>> FileOf(uint32_t number) const;
  // The same of this process.
  std::optional<std::pair<uint64_t, uint64_t>> OwnFile() const;
  CgroupReader& cgroups() { return cgroups_; }

 private:
  std::string NameOf(uint32_t number) const;

  Roots roots_;
  CgroupReader cgroups_;
  symbols::BuildIdCache build_ids_;
};

}  // namespace settings
