// SPDX-License-Identifier: BSD-2-Clause
// Makes a file of a window: as a recording would have that began at its left edge.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "session/trigger_fired.h"
#include "session/window.h"
#include "sink/sink.h"
#include "translate/file/session_info.h"
#include "translate/translator.h"

namespace session {

struct WindowWriterOptions {
  translate::SessionInfo info;
  translate::TranslatorOptions translator;
  bool sees_switches = true;
  std::vector<TriggerFired> fired;
};

struct WindowStats {
  uint64_t covered = 0;  // ns
  uint64_t events = 0;   // records of events
  uint64_t lost = 0;
};

// The instant of a trigger. `time`: ns of CLOCK_MONOTONIC.
void MarkTrigger(const TriggerFired& fired, uint64_t time, translate::Translator& translator);

// Writes everything to `sink`, which is still to be closed; whether it failed, closing it tells.
WindowStats WriteWindow(Window window, const WindowWriterOptions& options, sink::Sink& sink);

}  // namespace session
