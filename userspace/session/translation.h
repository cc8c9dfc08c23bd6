// SPDX-License-Identifier: BSD-2-Clause
// How the events of a capture become records: what a translator has to know of it.
#pragma once

#include "capture/capture_session.h"
#include "capture/perf_sources.h"
#include "translate/translator.h"

namespace session {

translate::TranslatorOptions TranslationOf(const capture::CaptureSession& session,
                                           const capture::PerfSources& sources);

}  // namespace session
