// SPDX-License-Identifier: BSD-2-Clause
// What of a recording comes by perf's rings, in any buffering mode.
#pragma once

#include "capture/capture_session.h"
#include "capture/perf_sources.h"
#include "session/recording.h"
#include "util/result.h"

namespace session {

// As the configuration asks for them; config.note hears what is left out.
util::Result<capture::PerfSources> AddSources(const RecordingConfig& config,
                                              capture::CaptureSession& session);

// Tells config.note what went wrong with them since the last call.
void TellProblems(const RecordingConfig& config, capture::CaptureSession& session);

// Whether something is recorded that is longer than a slot and may be as frequent, so that a buffer
// needs room for it beside the slots.
bool HasLongEvents(const RecordingConfig& config);

}  // namespace session
