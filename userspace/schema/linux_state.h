// SPDX-License-Identifier: BSD-2-Clause
// The state of a task that is switched out: the kernel's, the format's, and its letters.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fxt/format.h"
#include "fxt_record/event.h"

namespace schema {

// Thread state of the format ("Thread States") for a kernel state. Unknown values read as blocked.
constexpr fxt::ThreadState ThreadStateOf(fxr_task_state state) {
  switch (state) {
    case FXR_STATE_RUNNABLE:
    case FXR_STATE_PREEMPTED:
    case FXR_STATE_THROTTLED:
      return fxt::ThreadState::kNew;
    case FXR_STATE_STOPPED:
    case FXR_STATE_TRACED:
      return fxt::ThreadState::kSuspended;
    case FXR_STATE_ZOMBIE:
      return fxt::ThreadState::kDying;
    case FXR_STATE_DEAD:
      return fxt::ThreadState::kDead;
    default:
      return fxt::ThreadState::kBlocked;
  }
}

// The same for a state from an event, branch-free.
constexpr fxt::ThreadState ThreadStateOf(unsigned index) {
  constexpr uint64_t kStates = [] {
    uint64_t states = 0;
    for (unsigned i = 0; i < 16; ++i) {
      states |= static_cast<uint64_t>(ThreadStateOf(static_cast<fxr_task_state>(i))) << 4 * i;
    }
    return states;
  }();
  return static_cast<fxt::ThreadState>(kStates >> 4 * (index & 0xf) & 0xf);
}

// The kernel state that a reader assumes for a state of the format without a linux_state instant:
// the most frequent one of outgoing threads. Empty for running, which no outgoing thread has, and
// for undefined values.
constexpr std::optional<fxr_task_state> UsualState(fxt::ThreadState state) {
  switch (state) {
    case fxt::ThreadState::kNew:
      return FXR_STATE_PREEMPTED;
    case fxt::ThreadState::kSuspended:
      return FXR_STATE_STOPPED;
    case fxt::ThreadState::kBlocked:
      return FXR_STATE_INTERRUPTIBLE;
    case fxt::ThreadState::kDying:
      return FXR_STATE_ZOMBIE;
    case fxt::ThreadState::kDead:
      return FXR_STATE_DEAD;
    case fxt::ThreadState::kRunning:
      break;
  }
  return std::nullopt;
}

// The letters of the kernel's sched_switch event: R, S, D, T, t, X, Z, P, I, R+; and W, Rq.
std::string_view StateLetters(fxr_task_state state);
// The inverse of StateLetters(); empty for unknown letters.
std::optional<fxr_task_state> StateOfLetters(std::string_view letters);

// Tracks which kernel state a reader assumes for a thread's next switch. A context switch record
// holds the format's state only. A `linux_state` instant before the switch carries the kernel
// state, and only if the reader would assume another one: the last emitted state of this thread
// with the same format state, initially the usual one.
class EmittedStates {
 public:
  // True if a reader assumes `state`.
  bool IsEmitted(fxr_task_state state) const { return (emitted_ >> state & 1) != 0; }
  // Returns true if `state` needs an instant now.
  bool Emit(fxr_task_state state) {
    if (IsEmitted(state)) return false;
    emitted_ = static_cast<uint16_t>((emitted_ & ~Alternatives(state)) | 1u << state);
    return true;
  }
  // Discards what the reader knows: the next state is always emitted.
  void Forget() { emitted_ = 0; }

 private:
  // The states with the same format state as `state`.
  static constexpr unsigned Alternatives(fxr_task_state state) {
    unsigned states = 0;
    for (unsigned other = 0; other < 16; ++other) {
      if (ThreadStateOf(static_cast<fxr_task_state>(other)) == ThreadStateOf(state)) {
        states |= 1u << other;
      }
    }
    return states;
  }

  static constexpr uint16_t Usual() {
    unsigned states = 0;
    for (unsigned state = 0; state <= static_cast<unsigned>(fxt::ThreadState::kDead); ++state) {
      const auto usual = UsualState(static_cast<fxt::ThreadState>(state));
      if (usual) states |= 1u << *usual;
    }
    return static_cast<uint16_t>(states);
  }

  // One bit per assumed kernel state, one for each state of the format.
  uint16_t emitted_ = Usual();
};

}  // namespace schema
