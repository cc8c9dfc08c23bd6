// SPDX-License-Identifier: BSD-2-Clause
// Reads names of tasks, cgroups and interrupts from /proc, /sys and the cgroup file system. Process
// ids are those of this /proc; see KernelIdentity.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capture/cgroup_tree.h"
#include "capture/mapped_build_ids.h"
#include "model/identity_source.h"
#include "symbols/kallsyms.h"
#include "symbols/symbol_table.h"
#include "util/unique_fd.h"

namespace capture {

class ProcIdentity {
 public:
  // The roots are parameters for tests. An empty `cgroup_mount` is looked up in
  // <proc>/self/mountinfo.
  explicit ProcIdentity(std::string proc = "/proc", std::string sys = "/sys",
                        const std::string& cgroup_mount = "");

  // The number of ids this process has, from /proc's pid namespace inwards; 0: /proc does not show
  // it.
  uint32_t OwnNumbers() const;
  model::ProcessText TextOf(uint32_t number) const;
  // See model::IdentitySource.
  std::string CgroupPath(uint64_t id) { return cgroups_.PathOf(id); }
  std::string CpuGroupPath(uint64_t id, uint32_t hierarchy);
  std::string IrqName(uint32_t irq) const;
  std::string FunctionAt(int64_t address);
  std::vector<model::ExecutableMapping> MappingsOf(uint32_t number);
  // `text`: the kernel's text if it is known, else /proc/kallsyms is read.
  std::vector<model::ExecutableMapping> KernelMappings(
      std::optional<symbols::KernelText> text = std::nullopt) const;

  // The id of a cgroup by path, relative to the hierarchy's mount or absolute; empty if it is not a
  // cgroup of the default hierarchy.
  std::optional<uint64_t> CgroupId(const std::string& path) const;

 private:
  std::string proc_;
  std::string sys_;
  CgroupTree cgroups_;
  std::optional<CgroupTree> cpu_groups_;  // of version 1, found at the first query
  // Some MiB; read at the first query. Empty where addresses are hidden.
  std::optional<symbols::SymbolTable> functions_;
  MappedBuildIds build_ids_;
};

}  // namespace capture
