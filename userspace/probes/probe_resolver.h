// SPDX-License-Identifier: BSD-2-Clause
// From what a person wrote behind --uprobe and --usdt to places in files.
#pragma once

#include <string>
#include <vector>

#include "probes/file_finder.h"
#include "probes/probe.h"
#include "symbols/debug_files.h"
#include "util/result.h"

namespace probes {

// `functions`: PATH:SYMBOL[+retval|+entry]; `usdt`: PATH:PROVIDER:NAME. A function that is asked
// for twice is probed once. Error: something is not written so, there is no such file, function or
// probe (the nearest are named), or there are more than FXR_MAX_PROBES.
util::Result<std::vector<Probe>> ResolveProbes(const std::vector<std::string>& functions,
                                               const std::vector<std::string>& usdt,
                                               const FilePlaces& places,
                                               const symbols::DebugFileOptions& options);

}  // namespace probes
