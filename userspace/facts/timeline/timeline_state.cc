// SPDX-License-Identifier: BSD-2-Clause
#include "facts/timeline/timeline_state.h"

#include <utility>

namespace facts {

std::optional<fxt::Koid> TimelineState::RunningOn(uint32_t number) const {
  const Cpu* state = cpu(number);
  const bool known =
      state != nullptr && (state->does == CpuActivity::kRun || state->does == CpuActivity::kIdle);
  return known ? std::optional(state->thread) : std::nullopt;
}

std::optional<uint32_t> TimelineState::CpuOf(fxt::Koid koid) const {
  const Thread* state = thread(koid);
  return state != nullptr && state->running ? std::optional(state->cpu) : std::nullopt;
}

uint32_t TimelineState::KeepLimit(CpuLimit limit) {
  // Few groups are throttled, and the same ones again and again.
  const auto found = std::find(limits_.rbegin(), limits_.rend(), limit);
  if (found != limits_.rend()) return static_cast<uint32_t>(limits_.rend() - found - 1);
  constexpr size_t kMaxPathBytes = 4096;
  if (limits_.size() >= kMaxLimits || limit.cgroup.size() > kMaxPathBytes) return kNoLimit;
  limits_.push_back(std::move(limit));
  return static_cast<uint32_t>(limits_.size() - 1);
}

}  // namespace facts
