// SPDX-License-Identifier: BSD-2-Clause
// The Linux state behind the thread state of a context switch record.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "fxt/record.h"

namespace facts {

// A switch record has room for the six thread states of the format; Linux has more. fxt-record puts
// an instant on the outgoing thread (category "sched", name "linux_state", string argument "state",
// in the letters of the kernel's tracers) right before a switch whose Linux state is not the one a
// reader assumes: the last one told of this thread and thread state, at first the usual one
// (R+, S, T, Z, X). Hand over every record in file order, then ask.
class LinuxStateTracker {
 public:
  // Takes note of `event` when it tells a state; true if it did.
  bool Note(const fxt::Event& event);
  bool Note(const fxt::Record& record) {
    const auto* event = std::get_if<fxt::Event>(&record);
    return event != nullptr && Note(*event);
  }

  // Letters for a thread that was switched out in `state`: R, R+, S, D, T, t, X, Z, P, I or W.
  // Static storage. "?" for states that no outgoing thread can have (running and unknown numbers).
  std::string_view Letters(fxt::Koid thread, fxt::ThreadState state) const;

  // The thread state that stands for `letters`; kRunning, which none stands for, if unknown.
  static fxt::ThreadState StateOf(std::string_view letters);

 private:
  // By thread and fxt::ThreadState; empty where nothing was told.
  std::unordered_map<fxt::Koid, std::array<std::string_view, 6>> told_;
};

}  // namespace facts
