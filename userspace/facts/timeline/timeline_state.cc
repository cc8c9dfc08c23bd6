// SPDX-License-Identifier: BSD-2-Clause
#include "facts/timeline/timeline_state.h"

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

void TimelineState::NoteState(const fxt::Event& event) {
  const auto letters = TextOf(FindArgument(event.arguments, schema::argument::kState));
  const auto state = schema::StateOfLetters(letters.value_or(""));
  if (!state) return;
  Thread* thread = ThreadAt(IndexOf(event.thread.thread));
  if (thread == nullptr) return;
  thread->assumed[static_cast<size_t>(schema::ThreadStateOf(*state))] =
      static_cast<uint8_t>(*state);
}

}  // namespace facts
