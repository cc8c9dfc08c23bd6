// SPDX-License-Identifier: BSD-2-Clause
#include "session/translation.h"

namespace session {

translate::TranslatorOptions TranslationOf(const capture::CaptureSession& session,
                                           const capture::PerfSources& sources) {
  const capture::ProgramOptions& programs = session.options();
  return {.record_task_events = programs.categories.test(FXR_CATEGORY_TASK),
          .filtered = !session.filter().empty(),
          .branches = sources.branches,
          .stacks = programs.categories.test(FXR_CATEGORY_STACK),
          .probes = programs.probes,
          .tracepoints = sources.tracepoints,
          .counters = programs.counters};
}

}  // namespace session
