// SPDX-License-Identifier: BSD-2-Clause
#include "capture/kernel_identity.h"

#include <utility>

namespace capture {

KernelIdentity::KernelIdentity(TaskWalk& tasks, ProcIdentity& proc, KernelSymbols symbols)
    : tasks_(tasks), proc_(proc), symbols_(std::move(symbols)) {
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

std::string KernelIdentity::FunctionAt(int64_t address) {
  if (!symbols_.available()) return proc_.FunctionAt(address);
  const auto symbol = symbols_.At(static_cast<uint64_t>(address));
  return symbol ? symbol->name : "";
}

std::optional<symbols::KernelText> KernelIdentity::KernelText() const {
  const auto begin = symbols_.Named("_text");
  const auto end = symbols_.Named("_etext");
  if (!begin || !end || end->start <= begin->start) return std::nullopt;
  return symbols::KernelText{begin->start, end->start - begin->start};
}

std::vector<model::ExecutableMapping> KernelIdentity::MappingsOf(uint32_t tgid) {
  if (tgid == 0) return proc_.KernelMappings(KernelText());
  const auto number = ProcNumber(tgid);
  return number ? proc_.MappingsOf(*number) : std::vector<model::ExecutableMapping>{};
}

}  // namespace capture
