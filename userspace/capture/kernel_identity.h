// SPDX-License-Identifier: BSD-2-Clause
// Who tasks are by the kernel's word, and what /proc adds to that. /proc numbers tasks as the
// process namespace does that it was mounted in, which may be another one than the machine's own,
// whose ids events carry: it is only ever asked by its own numbers, for tasks that it has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capture/bpf/task_walk.h"
#include "capture/proc_identity.h"
#include "model/identity_source.h"

namespace capture {

class KernelIdentity final : public model::IdentitySource {
 public:
  // Both outlive it.
  KernelIdentity(TaskWalk& tasks, ProcIdentity& proc);

  model::ProcessText TextOf(uint32_t tgid) override;
  std::optional<fxr_task> LookUp(uint32_t tid) override;
  std::string CgroupPath(uint64_t id) override { return proc_.CgroupPath(id); }
  std::string IrqName(uint32_t irq) override { return proc_.IrqName(irq); }
  std::string FunctionAt(int64_t address) override { return proc_.FunctionAt(address); }
  std::vector<model::ExecutableMapping> MappingsOf(uint32_t tgid) override;

 private:
  // What /proc calls the process; nothing when /proc does not have it.
  std::optional<uint32_t> ProcNumber(uint32_t tgid);

  TaskWalk& tasks_;
  ProcIdentity& proc_;
  // How far /proc's process namespace is inside of the machine's own; nothing: it is not around us.
  std::optional<uint32_t> proc_level_;
};

}  // namespace capture
