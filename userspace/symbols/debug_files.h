// SPDX-License-Identifier: BSD-2-Clause
// Lists where the file with an executable's symbols may be.
#pragma once

#include <string>
#include <vector>

#include "util/build_id.h"

namespace symbols {

struct DebugFileOptions {
  // Prepended to all recorded paths: the root of the recorded machine's files.
  std::string root;
  // Directories of separate debug files; each has a ".build-id" directory and may mirror "/".
  std::vector<std::string> debug_folders = {"/usr/lib/debug"};
  // perf's build id cache of executables; empty: none.
  std::string perf_cache;  // usually ~/.debug
};

// Candidates for the separate debug file, best first. `path` is the recorded path of the
// executable, `debug_link` its .gnu_debuglink; either may be empty.
std::vector<std::string> DebugFileCandidates(const std::string& path, const util::BuildId& build_id,
                                             const std::string& debug_link,
                                             const DebugFileOptions& options);

// Candidates for the executable itself.
std::vector<std::string> ExecutableCandidates(const std::string& path,
                                              const util::BuildId& build_id,
                                              const DebugFileOptions& options);

}  // namespace symbols
