// SPDX-License-Identifier: BSD-2-Clause
// Reads names of tasks, cgroups and interrupts from /proc, /sys and the cgroup file system. Process
// ids are those of this /proc; see KernelIdentity.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/identity_source.h"
#include "symbols/symbol_table.h"
#include "util/unique_fd.h"

namespace capture {

class ProcIdentity {
 public:
  // The roots are parameters for tests. An empty `cgroup_mount` is looked up in
  // <proc>/self/mountinfo.
  explicit ProcIdentity(std::string proc = "/proc", std::string sys = "/sys",
                        std::string cgroup_mount = "");

  // The number of ids this process has, from /proc's pid namespace inwards; 0: /proc does not show
  // it.
  uint32_t OwnNumbers() const;
  model::ProcessText TextOf(uint32_t number) const;
  // See model::IdentitySource.
  std::string CgroupPath(uint64_t id);
  std::string IrqName(uint32_t irq) const;
  std::string FunctionAt(int64_t address);
  std::vector<model::ExecutableMapping> MappingsOf(uint32_t number);
  std::vector<model::ExecutableMapping> KernelMappings() const;

  // The id of a cgroup by path, relative to the hierarchy's mount or absolute; empty if it is not a
  // cgroup of the default hierarchy.
  std::optional<uint64_t> CgroupId(const std::string& path) const;

 private:
  std::string proc_;
  std::string sys_;
  std::string cgroup_mount_;
  util::UniqueFd cgroup_fd_;
  // Cleared beyond a few thousand entries.
  std::unordered_map<uint64_t, std::string> cgroup_paths_;
  // Some MiB; read at the first query. Empty where addresses are hidden.
  std::optional<symbols::SymbolTable> functions_;
  std::unordered_map<std::string, std::vector<std::byte>> build_ids_;  // by file; bounded
};

}  // namespace capture
