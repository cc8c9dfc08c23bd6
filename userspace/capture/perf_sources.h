// SPDX-License-Identifier: BSD-2-Clause
// Opens the sources of perf records: branch stacks, stack samples and tracepoints.
#pragma once

#include <string>
#include <vector>

#include "capture/bpf/category.h"
#include "capture/capture_session.h"
#include "perf/live/lbr_options.h"
#include "request/trace_config.h"
#include "schema/tracepoint_format.h"
#include "util/result.h"

namespace capture {

struct PerfSourceOptions {
  // Whether categories `lbr` and `stack` are selected, and whether by name.
  CategorySelection categories;
  perf::LbrOptions lbr;
  std::vector<request::Tracepoint> tracepoints;
};

// The opened sources.
struct PerfSources {
  bool branches = false;
  std::vector<schema::TracepointFormat> tracepoints;  // indexed by the events' numbers
};

// Opens the sources and adds them to the session, before its start. A source that this machine
// lacks is an error if it was selected by name; otherwise it is left out with a line in `notes`.
util::Result<PerfSources> AddPerfSources(const PerfSourceOptions& options, CaptureSession& session,
                                         std::vector<std::string>* notes);

}  // namespace capture
