// SPDX-License-Identifier: BSD-2-Clause
#include "session/recording_sources.h"

#include <algorithm>
#include <string>
#include <vector>

namespace session {

util::Result<capture::PerfSources> AddSources(const RecordingConfig& config,
                                              capture::CaptureSession& session) {
  std::vector<std::string> notes;
  auto sources = capture::AddPerfSources(config.sources, session, &notes);
  for (const std::string& note : notes) {
    if (config.note) config.note(note);
  }
  return sources;
}

void TellProblems(const RecordingConfig& config, capture::CaptureSession& session) {
  if (!config.note) return;
  if (const std::string problem = session.TakePerfProblem(); !problem.empty()) config.note(problem);
}

bool HasLongEvents(const RecordingConfig& config) {
  const capture::CategorySet& wanted = config.sources.categories.wanted;
  return wanted.test(FXR_CATEGORY_LBR) || wanted.test(FXR_CATEGORY_STACK) ||
         !config.sources.tracepoints.empty() ||
         std::ranges::any_of(config.programs.probes, [](const probes::Probe& probe) {
           return probe.kind == probes::Probe::Kind::kUsdt;
         });
}

}  // namespace session
