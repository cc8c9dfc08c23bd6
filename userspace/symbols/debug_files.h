// SPDX-License-Identifier: BSD-2-Clause
// Where the file with the symbols of an executable may be.
#pragma once

#include <string>
#include <vector>

#include "util/build_id.h"

namespace symbols {

struct DebugFileOptions {
  // Put before every path that a recording names: the root of the recorded machine's files.
  std::string root;
  // Folders with separate debug files; each has a ".build-id" folder and may mirror "/".
  std::vector<std::string> debug_folders = {"/usr/lib/debug"};
  // perf's cache of executables by build id; empty: none.
  std::string perf_cache;  // usually ~/.debug
};

// Candidates for the separate debug file, best first. `path` is the executable as the recording
// names it, `debug_link` what its .gnu_debuglink says; either may be empty.
std::vector<std::string> DebugFileCandidates(const std::string& path, const util::BuildId& build_id,
                                             const std::string& debug_link,
                                             const DebugFileOptions& options);

// Candidates for the executable itself.
std::vector<std::string> ExecutableCandidates(const std::string& path,
                                              const util::BuildId& build_id,
                                              const DebugFileOptions& options);

}  // namespace symbols
