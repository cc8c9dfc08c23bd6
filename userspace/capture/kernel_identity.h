// SPDX-License-Identifier: BSD-2-Clause
// Task identity from the kernel, completed from /proc. Events carry ids of the initial pid
// namespace; /proc uses those of the namespace it was mounted in. So /proc is queried only with its
// own ids.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/bpf/kernel_symbols.h"
#include "capture/bpf/task_walk.h"
#include "capture/proc_identity.h"
#include "model/identity_source.h"
#include "symbols/kallsyms.h"

namespace capture {

class KernelIdentity final : public model::IdentitySource {
 public:
  // All outlive this object, `symbols` with the programs behind it.
  KernelIdentity(TaskWalk& tasks, ProcIdentity& proc, KernelSymbols symbols);

  model::ProcessText TextOf(uint32_t tgid) override;
  std::optional<fxr_task> LookUp(uint32_t tid) override;
  std::string CgroupPath(uint64_t id) override { return proc_.CgroupPath(id); }
  std::string CpuGroupPath(uint64_t id, uint32_t hierarchy) override {
    return proc_.CpuGroupPath(id, hierarchy);
  }
  std::string IrqName(uint32_t irq) override { return proc_.IrqName(irq); }
  std::string FunctionAt(int64_t address) override;
  std::vector<model::ExecutableMapping> MappingsOf(uint32_t tgid) override;
  std::shared_ptr<model::ScriptFunctions> script_functions() override { return script_functions_; }
  // The process's id in /proc; empty if /proc does not show it.
  std::optional<uint32_t> ProcNumber(uint32_t tgid);

 private:
  // Empty if it can only be read from a list.
  std::optional<symbols::KernelText> KernelText() const;

  TaskWalk& tasks_;
  ProcIdentity& proc_;
  const KernelSymbols symbols_;
  const std::shared_ptr<model::ScriptFunctions> script_functions_ =
      std::make_shared<model::ScriptFunctions>();
  // Level of /proc's pid namespace; empty if it does not contain this process.
  std::optional<uint32_t> proc_level_;
};

}  // namespace capture
