// SPDX-License-Identifier: BSD-2-Clause
// Sets up the capture behind a recording, in any buffering mode.
#pragma once

#include "capture/capture_session.h"
#include "capture/perf_sources.h"
#include "session/recording.h"
#include "translate/translator.h"
#include "util/result.h"

namespace session {

// Adds the sources of `config` that use perf's rings. Reports sources that cannot be recorded to
// config.note.
util::Result<capture::PerfSources> AddSources(const RecordingConfig& config,
                                              capture::CaptureSession& session);

// Reports to config.note the problems of the sources since the last call.
void NoteProblems(const RecordingConfig& config, capture::CaptureSession& session);
// Reports the functions that could not be probed at the session's start.
void NoteSkippedProbes(const RecordingConfig& config, const capture::CaptureSession& session);

// True if the recording has events that are longer than a slot but as frequent. A buffer needs room
// for them beside the slots.
bool HasLongEvents(const RecordingConfig& config);

// The translator's options for the events of this capture.
translate::TranslatorOptions TranslationOf(const capture::CaptureSession& session,
                                           const capture::PerfSources& sources);

}  // namespace session
