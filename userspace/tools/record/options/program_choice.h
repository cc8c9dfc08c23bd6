// SPDX-License-Identifier: BSD-2-Clause
// From what a person asks for to what the capture is told to record.
#pragma once

#include <string>
#include <vector>

#include "capture/bpf/kernel_features.h"
#include "capture/bpf/program_options.h"
#include "capture/perf_sources.h"
#include "capture/proc_identity.h"
#include "tools/record/options/record_options.h"
#include "util/result.h"

namespace tools {

// Takes out of `selection` what this kernel cannot record and nobody asked for by name, and says so
// in `notes`. Error: something asked for by name cannot be recorded.
util::Status LeaveOutImpossible(const capture::KernelFeatures& features,
                                capture::CategorySelection& selection,
                                std::vector<std::string>* notes);

// What a buffer has as many bytes of as of all else together is recorded into one only where it was
// asked for by name: a group of categories is without it there.
void LeaveOutLong(capture::CategorySelection& selection);

// `realtime`: the recorder has real-time priority.
util::Result<capture::ProgramOptions> MakeProgramOptions(const RecordOptions& options,
                                                         const capture::ProcIdentity& identities,
                                                         bool realtime);

// What of it comes by perf's rings.
capture::PerfSourceOptions MakePerfSourceOptions(const RecordOptions& options);

}  // namespace tools
