// SPDX-License-Identifier: BSD-2-Clause
// Converts command-line options into options of the capture.
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

// Removes from `selection` the categories that this kernel cannot record, with a note for each. An
// error if such a category was named.
util::Status LeaveOutImpossible(const capture::KernelFeatures& features,
                                capture::CategorySelection& selection,
                                std::vector<std::string>* notes);

// Removes from `selection`, unless they were named, the categories whose events take as many bytes
// of a buffer as all others together.
void LeaveOutLong(capture::CategorySelection& selection);

// `realtime`: the recorder has real-time priority. `notes` gets what patterns of probes left out.
util::Result<capture::ProgramOptions> MakeProgramOptions(const RecordOptions& options,
                                                         const capture::ProcIdentity& identities,
                                                         const capture::KernelFeatures& features,
                                                         bool realtime,
                                                         std::vector<std::string>* notes);

// The options of sources that use perf's rings.
capture::PerfSourceOptions MakePerfSourceOptions(const RecordOptions& options);

}  // namespace tools
