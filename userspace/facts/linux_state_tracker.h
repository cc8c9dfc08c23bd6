// SPDX-License-Identifier: BSD-2-Clause
// The Linux state behind the thread state of a context switch record.
//
// A switch record has room for the six thread states of the format; Linux has more. fxt-record puts
// an instant on the outgoing thread (category "sched", name "linux_state", string argument "state",
// in the letters of the kernel's tracers) right before a switch whose Linux state is not the one a
// reader assumes. A reader assumes the last state emitted for this thread and thread state, at
// first the usual one (R+, S, T, Z, X).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "fxt/id_map.h"
#include "fxt/record.h"
#include "schema/linux_state.h"

namespace facts {

// The state that a `linux_state` instant names; empty for other events and unknown letters.
std::optional<fxr_task_state> LinuxStateOf(const fxt::Event& event);

// The Linux states that a reader assumes for one thread.
class AssumedStates {
 public:
  void Learn(fxr_task_state state) {
    states_[static_cast<size_t>(schema::ThreadStateOf(state))] = static_cast<uint8_t>(state);
  }
  // Valid for states that IsOutgoing() accepts.
  fxr_task_state Of(fxt::ThreadState state) const {
    return static_cast<fxr_task_state>(states_[static_cast<size_t>(state)]);
  }
  // False for states that no outgoing thread can have: running and unknown numbers.
  static bool IsOutgoing(fxt::ThreadState state) {
    return state != fxt::ThreadState::kRunning && static_cast<size_t>(state) < kStates;
  }

 private:
  static constexpr size_t kStates = 6;
  static constexpr std::array<uint8_t, kStates> kUsual = [] {
    std::array<uint8_t, kStates> usual{};
    for (size_t state = 0; state < usual.size(); ++state) {
      usual[state] = static_cast<uint8_t>(
          schema::UsualState(static_cast<fxt::ThreadState>(state)).value_or(FXR_STATE_RUNNABLE));
    }
    return usual;
  }();

  std::array<uint8_t, kStates> states_ = kUsual;
};

// The assumed states of all threads of a trace. Feed it every record in file order.
class LinuxStateTracker {
 public:
  // True if `event` named a state.
  bool Note(const fxt::Event& event);
  bool Note(const fxt::Record& record) {
    const auto* event = std::get_if<fxt::Event>(&record);
    return event != nullptr && Note(*event);
  }

  // Letters for a thread that was switched out in `state`: R, R+, S, D, T, t, X, Z, P, I or W.
  // Static storage. "?" for states that no outgoing thread can have.
  std::string_view Letters(fxt::Koid thread, fxt::ThreadState state) const;

  // The thread state for `letters`; kRunning, which has no letters, if unknown.
  static fxt::ThreadState StateOf(std::string_view letters);

 private:
  fxt::IdMap<AssumedStates> threads_;
};

}  // namespace facts
