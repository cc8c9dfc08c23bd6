// SPDX-License-Identifier: BSD-2-Clause
// What of a recording comes by perf's rings and not by those of the programs: branch stacks,
// samples of what runs, and tracepoints.
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
  // Categories `lbr` and `stack`: whether, and whether by name.
  CategorySelection categories;
  perf::LbrOptions lbr;
  std::vector<request::Tracepoint> tracepoints;
};

// Those that there are.
struct PerfSources {
  bool branches = false;
  std::vector<schema::TracepointFormat> tracepoints;  // by the numbers of their events
};

// Opens them and hands them to the session, before its start. What this machine does not have is an
// error where it was asked for by name; else it is left out, and `notes` says so.
util::Result<PerfSources> AddPerfSources(const PerfSourceOptions& options, CaptureSession& session,
                                         std::vector<std::string>* notes);

}  // namespace capture
