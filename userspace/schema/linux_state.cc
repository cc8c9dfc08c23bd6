// SPDX-License-Identifier: BSD-2-Clause
#include "schema/linux_state.h"

namespace schema {

std::string_view StateLetters(fxr_task_state state) {
  switch (state) {
    case FXR_STATE_RUNNABLE:
      return "R";
    case FXR_STATE_INTERRUPTIBLE:
      return "S";
    case FXR_STATE_UNINTERRUPTIBLE:
      return "D";
    case FXR_STATE_STOPPED:
      return "T";
    case FXR_STATE_TRACED:
      return "t";
    case FXR_STATE_DEAD:
      return "X";
    case FXR_STATE_ZOMBIE:
      return "Z";
    case FXR_STATE_PARKED:
      return "P";
    case FXR_STATE_IDLE:
      return "I";
    case FXR_STATE_PREEMPTED:
      return "R+";
    case FXR_STATE_WOKEN:
      return "W";
    case FXR_STATE_THROTTLED:
      return "Rq";
  }
  return "?";
}

std::optional<fxr_task_state> StateOfLetters(std::string_view letters) {
  for (unsigned state = FXR_STATE_RUNNABLE; state <= FXR_STATE_THROTTLED; ++state) {
    if (letters == StateLetters(static_cast<fxr_task_state>(state))) {
      return static_cast<fxr_task_state>(state);
    }
  }
  return std::nullopt;
}

}  // namespace schema
