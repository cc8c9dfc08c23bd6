// SPDX-License-Identifier: BSD-2-Clause
// From names on a command line to captures.
#pragma once

#include <string>
#include <vector>

#include "measure/capture.h"
#include "util/result.h"

namespace tools {

// The traces and summaries that `paths` name, in the order of their names: files, and of folders
// those that are in them and below, by their endings .fxt, .fxt.gz and .fxs. In a folder, of files
// that differ in those endings alone one is taken, in this order. A folder without any is an error.
util::Result<std::vector<std::string>> FindCaptures(const std::vector<std::string>& paths);

// Loads lists of files, on all CPUs. An error of the first file that cannot be read; damage that
// was passed over is told on standard error.
util::Result<std::vector<std::vector<measure::Capture>>> LoadCaptures(
    const std::vector<std::vector<std::string>>& lists);

}  // namespace tools
