// SPDX-License-Identifier: BSD-2-Clause
#include "session/capture_setup.h"

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

void NoteProblems(const RecordingConfig& config, capture::CaptureSession& session) {
  if (!config.note) return;
  if (const std::string problem = session.TakePerfProblem(); !problem.empty()) config.note(problem);
}

void NoteSkippedProbes(const RecordingConfig& config, const capture::CaptureSession& session) {
  if (!config.note) return;
  for (const std::string& note : session.DescribeSkippedProbes()) config.note(note);
}

bool HasLongEvents(const RecordingConfig& config) {
  const capture::CategorySet& wanted = config.sources.categories.wanted;
  return wanted.test(FXR_CATEGORY_LBR) || wanted.test(FXR_CATEGORY_STACK) ||
         !config.sources.tracepoints.empty() ||
         std::ranges::any_of(config.programs.probes, [](const probes::Probe& probe) {
           return probe.kind == probes::Probe::Kind::kUsdt || probe.has_spec();
         });
}

translate::TranslatorOptions TranslationOf(const capture::CaptureSession& session,
                                           const capture::PerfSources& sources) {
  const capture::ProgramOptions& programs = session.options();
  return {.record_task_events = programs.categories.test(FXR_CATEGORY_TASK),
          .filtered = !session.filter().empty(),
          .branches = sources.branches,
          .stacks = programs.categories.test(FXR_CATEGORY_STACK),
          .probes = programs.probes,
          .tracepoints = sources.tracepoints,
          .counters = programs.counters,
          .request_names = programs.request_names};
}

}  // namespace session
