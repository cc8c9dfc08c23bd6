// SPDX-License-Identifier: BSD-2-Clause
// Writes a window as a trace, like a recording that began at the left edge.
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

// Writes the instant of a trigger. `time`: ns of CLOCK_MONOTONIC.
void MarkTrigger(const TriggerFired& fired, uint64_t time, translate::Translator& translator);

// Writes the window to `sink`. The caller closes the sink, which returns its errors.
WindowStats WriteWindow(Window window, const WindowWriterOptions& options, sink::Sink& sink);

}  // namespace session
