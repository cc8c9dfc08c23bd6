// SPDX-License-Identifier: BSD-2-Clause
// What a recording takes its events from, besides the rings of its programs.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "capture/stack_sampler.h"
#include "capture/tracepoint_recorder.h"
#include "tools/record/options/program_choice.h"
#include "tools/record/recorder.h"

namespace tools {

util::Result<capture::ProgramOptions> Recorder::ChoosePrograms(
    const capture::KernelFeatures& features) {
  std::vector<std::string> notes;
  const util::Status possible = LeaveOutImpossible(features, options_.categories, &notes);
  for (const std::string& note : notes) console_.Note(note);
  if (!possible) return possible.error();
  return MakeProgramOptions(options_, identities_, realtime_);
}

util::Status Recorder::OpenBranches() {
  capture::CategorySelection& selection = options_.categories;
  if (!selection.wanted.test(FXR_CATEGORY_LBR)) return util::Ok();
  auto branches = capture::BranchRecorder::Open(options_.lbr);
  if (branches) {
    branches_ = std::move(*branches);
    return util::Ok();
  }
  if (selection.by_name.test(FXR_CATEGORY_LBR)) return branches.error();
  selection.wanted.reset(FXR_CATEGORY_LBR);
  console_.Note(fmt::format("without category 'lbr': {}", branches.error().message));
  return util::Ok();
}

util::Status Recorder::KeepBranches() {
  if (!branches_) return util::Ok();
  if (!session_->in_process_namespace()) {
    session_->AddSource(std::move(branches_));
    return util::Ok();
  }
  constexpr const char* kWhy = "in a process namespace perf does not tell whose a stack is";
  if (options_.categories.by_name.test(FXR_CATEGORY_LBR)) {
    return util::Error{fmt::format("category 'lbr' cannot be recorded: {}", kWhy),
                       "record it from outside of the container"};
  }
  branches_.reset();
  options_.categories.wanted.reset(FXR_CATEGORY_LBR);
  console_.Note(fmt::format("without category 'lbr': {}", kWhy));
  return util::Ok();
}

// What comes by perf; off and wake stacks come by the programs.
util::Status Recorder::OpenStacks() {
  if (!session_->options().categories.test(FXR_CATEGORY_STACK)) return util::Ok();
  capture::StackOptions options = session_->options().stack;
  const bool by_name = options_.categories.by_name.test(FXR_CATEGORY_STACK);
  if (session_->in_process_namespace()) {
    // perf tells this namespace's numbers there, which are not those in the file.
    if (options.on && by_name && !options_.categories.stack_parts.empty()) {
      return util::Error{"stack:on cannot be recorded in a process namespace",
                         "record it from outside of the container, or ask for stack:off,wake"};
    }
    console_.Note(
        "no samples of what runs (stack:on): in a process namespace perf does not tell "
        "whose they are");
    return util::Ok();
  }
  auto stacks = capture::StackSampler::Open(options);
  if (stacks) {
    session_->AddSource(std::move(*stacks));
    return util::Ok();
  }
  if (by_name) return stacks.error();
  console_.Note(fmt::format("without samples of what runs: {}", stacks.error().message));
  return util::Ok();
}

util::Status Recorder::OpenTracepoints() {
  if (options_.tracepoints.empty()) return util::Ok();
  if (session_->in_process_namespace()) {
    return util::Error{"tracepoints (-e) cannot be recorded in a process namespace",
                       "record them from outside of the container"};
  }
  std::vector<std::string> notes;
  // Their records are several times as long as a slot, and far fewer.
  auto source =
      capture::TracepointRecorder::Open(options_.tracepoints, session_->ring_bytes() / 2, &notes);
  for (const std::string& note : notes) console_.Note(note);
  if (!source) return source.error();
  tracepoints_ = (*source)->formats();
  session_->AddSource(std::move(*source));
  return util::Ok();
}

}  // namespace tools
