// SPDX-License-Identifier: BSD-2-Clause
// Writes the settings of a window. Settings of the machine are written at their time, settings of a
// process that ran when it ends or at the end of the window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fxt_record/event.h"
#include "session/settings_history.h"
#include "translate/translator.h"

namespace session {

class WindowSettings {
 public:
  // `all` is in time order. Settings that were read after `end` get the time `end`.
  WindowSettings(std::vector<TimedSettings> all, uint64_t end);

  // The time of the next settings to write; UINT64_MAX: there are none.
  uint64_t NextTime() const { return next_ < all_.size() ? all_[next_].time : UINT64_MAX; }
  // Writes those up to and including `time`; keeps those of processes.
  void WriteUpTo(uint64_t time, translate::Translator& translator);
  // Call before the event is applied. A process that exits has run.
  void OnExit(const fxr_exit& event, translate::Translator& translator);
  // Call after the last event.
  void Finish(translate::Translator& translator);

 private:
  std::vector<TimedSettings> all_;
  size_t next_ = 0;
  std::vector<TimedSettings> of_processes_;
};

}  // namespace session
