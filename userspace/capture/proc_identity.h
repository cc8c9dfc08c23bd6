// SPDX-License-Identifier: BSD-2-Clause
// What /proc, /sys and the cgroup file system tell of tasks, cgroups and interrupts. Processes go
// by the numbers that this /proc has for them; see KernelIdentity.
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
  // The roots are for tests; `cgroup_mount` empty: found in <proc>/self/mountinfo.
  explicit ProcIdentity(std::string proc = "/proc", std::string sys = "/sys",
                        std::string cgroup_mount = "");

  // How many process namespaces number us from that of this /proc inwards; 0: it does not have us.
  uint32_t OwnNumbers() const;
  model::ProcessText TextOf(uint32_t number) const;
  // See model::IdentitySource for these.
  std::string CgroupPath(uint64_t id);
  std::string IrqName(uint32_t irq) const;
  std::string FunctionAt(int64_t address);
  std::vector<model::ExecutableMapping> MappingsOf(uint32_t number);
  std::vector<model::ExecutableMapping> KernelMappings() const;

  // The id of a cgroup given by path, relative to the hierarchy's mount or absolute; nothing when
  // it is not a cgroup of the default hierarchy.
  std::optional<uint64_t> CgroupId(const std::string& path) const;

 private:
  std::string proc_;
  std::string sys_;
  std::string cgroup_mount_;
  util::UniqueFd cgroup_fd_;
  // Bounded: emptied when it has grown past a few thousand.
  std::unordered_map<uint64_t, std::string> cgroup_paths_;
  // Some MiB; read when it is asked for the first function, empty where addresses are hidden.
  std::optional<symbols::SymbolTable> functions_;
  std::unordered_map<std::string, std::vector<std::byte>> build_ids_;  // by file, bounded as well
};

}  // namespace capture
