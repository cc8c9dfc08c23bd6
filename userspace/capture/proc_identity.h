// SPDX-License-Identifier: BSD-2-Clause
// Names from /proc, /sys and the cgroup file system.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/identity_source.h"
#include "util/unique_fd.h"

namespace capture {

class ProcIdentity : public model::IdentitySource {
 public:
  // The roots are for tests; `cgroup_mount` empty: found in <proc>/self/mountinfo.
  explicit ProcIdentity(std::string proc = "/proc", std::string sys = "/sys",
                        std::string cgroup_mount = "");

  model::ProcessText TextOf(uint32_t tgid) override;
  std::optional<model::TaskIdentity> LookUp(uint32_t tid) override;
  std::string CgroupPath(uint64_t id) override;
  std::string IrqName(uint32_t irq) override;
  std::vector<model::ExecutableMapping> MappingsOf(uint32_t tgid) override;

  // The id of a cgroup given by path, relative to the hierarchy's mount or absolute; nothing when
  // it is not a cgroup of the default hierarchy.
  std::optional<uint64_t> CgroupId(const std::string& path) const;

 private:
  std::string proc_;
  std::string sys_;
  std::string cgroup_mount_;
  util::UniqueFd cgroup_fd_;
  bool numbers_are_the_kernels_ = true;  // /proc is that of the first pid namespace
  // Bounded: emptied when it has grown past a few thousand.
  std::unordered_map<uint64_t, std::string> cgroup_paths_;
  std::unordered_map<std::string, std::vector<std::byte>> build_ids_;  // by file, bounded as well
};

}  // namespace capture
