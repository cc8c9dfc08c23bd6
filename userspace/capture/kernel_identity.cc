// SPDX-License-Identifier: BSD-2-Clause
#include "capture/kernel_identity.h"

namespace capture {

KernelIdentity::KernelIdentity(TaskWalk& tasks, ProcIdentity& proc) : tasks_(tasks), proc_(proc) {
  const uint32_t numbers = proc_.OwnNumbers();
  // /proc lists the ids of this process from its own namespace inwards.
  if (numbers > 0 && numbers <= tasks_.own_level() + 1) {
    proc_level_ = tasks_.own_level() + 1 - numbers;
    tasks_.set_number_level(*proc_level_);
  }
}

std::optional<uint32_t> KernelIdentity::ProcNumber(uint32_t tgid) {
  if (!proc_level_) return std::nullopt;
  if (*proc_level_ == 0) return tgid;
  const auto leader = tasks_.Find(tgid);
  if (!leader || leader->number == 0) return std::nullopt;
  return leader->number;
}

model::ProcessText KernelIdentity::TextOf(uint32_t tgid) {
  const auto number = ProcNumber(tgid);
  return number ? proc_.TextOf(*number) : model::ProcessText{};
}

std::optional<fxr_task> KernelIdentity::LookUp(uint32_t tid) {
  const auto found = tasks_.Find(tid);
  if (!found) return std::nullopt;
  return found->task;
}

std::vector<model::ExecutableMapping> KernelIdentity::MappingsOf(uint32_t tgid) {
  if (tgid == 0) return proc_.KernelMappings();
  const auto number = ProcNumber(tgid);
  return number ? proc_.MappingsOf(*number) : std::vector<model::ExecutableMapping>{};
}

}  // namespace capture
