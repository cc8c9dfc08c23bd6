// SPDX-License-Identifier: BSD-2-Clause
#include "facts/timeline/timeline_state.h"

namespace facts {

std::optional<fxt::Koid> TimelineState::RunningOn(uint32_t number) const {
  const Cpu* state = cpu(number);
  const bool known = state != nullptr &&
                     (state->does == CpuActivity::kRun || state->does == CpuActivity::kIdle);
  return known ? std::optional(state->thread) : std::nullopt;
}

std::optional<uint32_t> TimelineState::CpuOf(fxt::Koid koid) const {
  const Thread* state = thread(koid);
  return state != nullptr && state->running ? std::optional(state->cpu) : std::nullopt;
}

}  // namespace facts
