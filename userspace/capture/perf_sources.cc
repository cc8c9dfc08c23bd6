// SPDX-License-Identifier: BSD-2-Clause
#include "capture/perf_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "capture/branch_recorder.h"
#include "capture/stack_sampler.h"
#include "capture/tracepoint_recorder.h"

namespace capture {
namespace {

// Limit where slots stay in their rings. perf's rings are drained all the same, whenever a quarter
// is full.
constexpr size_t kMaxQueuedBytes = size_t{4} << 20;

util::Result<bool> AddBranches(const PerfSourceOptions& options, CaptureSession& session,
                               std::vector<std::string>* notes) {
  if (!options.categories.wanted.test(FXR_CATEGORY_LBR)) return false;
  const bool by_name = options.categories.by_name.test(FXR_CATEGORY_LBR);
  if (session.in_process_namespace()) {
    constexpr const char* kReason =
        "in a pid namespace perf does not report which thread a stack belongs to";
    if (by_name) {
      return util::Error{fmt::format("category 'lbr' cannot be recorded: {}", kReason),
                         "record it from outside of the container"};
    }
    notes->push_back(fmt::format("without category 'lbr': {}", kReason));
    return false;
  }
  auto branches = BranchRecorder::Open(options.lbr);
  if (branches) {
    session.AddSource(std::move(*branches));
    return true;
  }
  if (by_name) return branches.TakeError();
  notes->push_back(fmt::format("without category 'lbr': {}", branches.error().message));
  return false;
}

// BPF programs take the stacks. perf's events run the one of samples, and report mappings.
util::Status AddStacks(const PerfSourceOptions& options, CaptureSession& session,
                       std::vector<std::string>* notes) {
  if (!session.options().categories.test(FXR_CATEGORY_STACK)) return util::Ok();
  const StackOptions& stack = session.options().stack;
  const bool by_name = options.categories.by_name.test(FXR_CATEGORY_STACK);
  if (session.in_process_namespace()) {
    // In a pid namespace perf reports ids of that namespace, but the file has those of the initial
    // one.
    if (stack.on && by_name && !options.categories.stack_parts.empty()) {
      return util::Error{"stack:on cannot be recorded in a pid namespace",
                         "record it from outside of the container, or ask for stack:off,wake"};
    }
    notes->push_back(
        "no samples of running threads (stack:on): in a pid namespace perf does not report "
        "which thread a stack belongs to");
    return util::Ok();
  }
  auto stacks = StackSampler::Open(stack, session.sample_program_fd());
  if (stacks) {
    if (stack.on && session.sample_program_fd() >= 0 && !(*stacks)->runs_program()) {
      notes->push_back(
          "the kernel refuses a BPF program for samples (stack:on): they are unwound by frame "
          "pointers");
    }
    session.AddSource(std::move(*stacks));
    return util::Ok();
  }
  if (by_name) return stacks.TakeError();
  notes->push_back(fmt::format("without samples of what runs: {}", stacks.error().message));
  return util::Ok();
}

util::Result<std::vector<schema::TracepointFormat>> AddTracepoints(
    const PerfSourceOptions& options, CaptureSession& session, std::vector<std::string>* notes) {
  if (options.tracepoints.empty()) return std::vector<schema::TracepointFormat>();
  if (session.in_process_namespace()) {
    return util::Error{"tracepoints (-e) cannot be recorded in a pid namespace",
                       "record them from outside of the container"};
  }
  // perf's records are several times as long as a slot, and far fewer.
  size_t ring_bytes = session.ring_bytes() / 2;
  if (session.options().ring_use != RingUse::kDrained) {
    ring_bytes = std::min(ring_bytes, kMaxQueuedBytes);
  }
  auto source = TracepointRecorder::Open(options.tracepoints, ring_bytes, notes);
  if (!source) return source.TakeError();
  std::vector<schema::TracepointFormat> formats = (*source)->formats();
  session.AddSource(std::move(*source));
  return formats;
}

}  // namespace

util::Result<PerfSources> AddPerfSources(const PerfSourceOptions& options, CaptureSession& session,
                                         std::vector<std::string>* notes) {
  PerfSources sources;
  const auto branches = AddBranches(options, session, notes);
  if (!branches) return branches.error();
  sources.branches = *branches;
  if (util::Status status = AddStacks(options, session, notes); !status) return status.TakeError();
  auto tracepoints = AddTracepoints(options, session, notes);
  if (!tracepoints) return tracepoints.TakeError();
  sources.tracepoints = std::move(*tracepoints);
  return sources;
}

}  // namespace capture
