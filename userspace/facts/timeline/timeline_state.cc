// SPDX-License-Identifier: BSD-2-Clause
#include "facts/timeline/timeline_state.h"

#include <algorithm>

#include "schema/linux_state.h"
#include "schema/names.h"

namespace facts {

std::optional<fxt::Koid> TimelineState::RunningOn(uint32_t number) const {
  const Cpu* state = cpu(number);
  if (state == nullptr || (state->does != Cpu::Does::kRun && state->does != Cpu::Does::kIdle)) {
    return std::nullopt;
  }
  return state->thread;
}

std::optional<uint32_t> TimelineState::CpuOf(fxt::Koid koid) const {
  const Thread* state = thread(koid);
  return state != nullptr && state->running ? std::optional(state->cpu) : std::nullopt;
}

Wait TimelineState::EndOfWait(const Thread& thread, ThreadIndex index, uint64_t time,
                              Bound ended) const {
  Wait wait{.index = index,
            .thread = thread.koid,
            .kind = thread.kind,
            .begin = thread.since,
            .end = std::max(time, thread.since),
            .began = thread.began,
            .ended = ended,
            .touches_loss = thread.losses != losses_};
  if (thread.left) wait.state = static_cast<fxr_task_state>(thread.state);
  if (thread.by_wakeup) {
    if (thread.has_waker) wait.waker = thread.waker;
    wait.target_cpu = thread.cpu;
  }
  return wait;
}

void TimelineState::NoteState(const fxt::Event& event) {
  const auto letters = TextOf(FindArgument(event.arguments, schema::argument::kState));
  const auto state = schema::StateOfLetters(letters.value_or(""));
  if (!state) return;
  Thread* thread = ThreadAt(IndexOf(event.thread.thread));
  if (thread == nullptr) return;
  thread->assumed[static_cast<size_t>(schema::ThreadStateOf(*state))] =
      static_cast<uint8_t>(*state);
}

std::optional<fxr_task_state> TimelineState::StateOf(const Thread* thread, fxt::ThreadState state) {
  static constexpr Thread kUsual;
  const auto number = static_cast<size_t>(state);
  if (state == fxt::ThreadState::kRunning || number >= kUsual.assumed.size()) return std::nullopt;
  return static_cast<fxr_task_state>((thread == nullptr ? kUsual : *thread).assumed[number]);
}

}  // namespace facts
