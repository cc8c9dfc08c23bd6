// SPDX-License-Identifier: BSD-2-Clause
// Resolves --kprobe.
#pragma once

#include <string>
#include <vector>

#include "probes/probe.h"
#include "probes/skipped_probes.h"
#include "util/result.h"

namespace capture {

// Adds the probes of `texts`, each FUNCTION[(ARGUMENTS)][+retval[:TYPE]|+entry][ if FILTER], to
// `probes`. Functions of a pattern whose arguments cannot be read are added to `skipped`. Errors: a
// syntax error; a function or argument that the kernel does not have; a kernel without probes of
// its functions; more than FXR_MAX_PROBES. `has_fprobes`: see KernelFeatures.
util::Status AddKernelProbes(const std::vector<std::string>& texts, bool has_fprobes,
                             std::vector<probes::Probe>* probes, probes::SkippedProbes* skipped);

}  // namespace capture
