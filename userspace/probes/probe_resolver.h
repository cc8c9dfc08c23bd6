// SPDX-License-Identifier: BSD-2-Clause
// Resolves the arguments of --uprobe and --usdt.
#pragma once

#include <string>
#include <vector>

#include "probes/file_finder.h"
#include "probes/probe.h"
#include "probes/skipped_probes.h"
#include "symbols/debug_files.h"
#include "util/result.h"

namespace probes {

// Adds a probe, or joins it with that of the same function without arguments. `option`: for
// messages. Errors: it is probed already, and one of them has arguments; more than FXR_MAX_PROBES.
util::Status AddProbe(const std::string& option, Probe probe, std::vector<Probe>* probes);

// `functions`: PATH:SYMBOL[(ARGUMENTS)][+retval|+entry][ if FILTER]; `usdt`: PATH:PROVIDER:NAME
// with arguments and filter. Duplicate functions without arguments yield one probe. Reads debug
// information in a process of its own, see FindArguments(). Functions of a pattern whose arguments
// cannot be read are added to `skipped`. Errors: a syntax error, a file, function, probe or
// argument that does not exist (with the nearest names), or more than FXR_MAX_PROBES.
util::Result<std::vector<Probe>> ResolveProbes(const std::vector<std::string>& functions,
                                               const std::vector<std::string>& usdt,
                                               const SearchPaths& places,
                                               const symbols::DebugFileOptions& options,
                                               SkippedProbes* skipped);

}  // namespace probes
