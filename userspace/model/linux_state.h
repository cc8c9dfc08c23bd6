// SPDX-License-Identifier: BSD-2-Clause
// The state a task was switched out in: the kernel's, the format's, and the letters people know.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "fxt/format.h"
#include "fxt_record/event.h"

namespace model {

// Thread state of the format ("Thread States") for a kernel state. Unknown values read as blocked.
constexpr fxt::ThreadState ThreadStateOf(fxr_task_state state) {
  switch (state) {
    case FXR_STATE_RUNNABLE:
    case FXR_STATE_PREEMPTED:
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

// The letters of the kernel's own tracers: R, S, D, T, t, X, Z, P, I, R+, W.
std::string_view StateLetters(fxr_task_state state);

// A record has room for the format's state only. The kernel's own goes into a `linux_state` instant
// right before the switch, but only when it is not what a reader assumes: the last one told of this
// thread and format state, at first the usual one.
class ToldStates {
 public:
  // True when `state` has to be told now.
  bool Tell(fxr_task_state state) {
    uint8_t& told = told_[static_cast<size_t>(ThreadStateOf(state))];
    if (told == state) return false;
    told = static_cast<uint8_t>(state);
    return true;
  }

  // What was told is not known any more: whatever comes next is told.
  void Forget() { told_.fill(0xff); }

 private:
  // By fxt::ThreadState; running is never an outgoing state.
  std::array<uint8_t, 6> told_ = {FXR_STATE_PREEMPTED,     FXR_STATE_RUNNABLE, FXR_STATE_STOPPED,
                                  FXR_STATE_INTERRUPTIBLE, FXR_STATE_ZOMBIE,   FXR_STATE_DEAD};
};

}  // namespace model
