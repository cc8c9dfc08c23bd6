// SPDX-License-Identifier: BSD-2-Clause
// Finds the captures named on a command line.
#pragma once

#include <string>
#include <vector>

#include "measure/capture.h"
#include "util/result.h"

namespace tools {

// The traces and summaries of `paths`, sorted by name: files, and from folders, recursively, those
// with the endings .fxt, .fxt.gz and .fxs. Of files in a folder that differ only in these endings
// one is used, in this order. A folder without any is an error.
util::Result<std::vector<std::string>> FindCaptures(const std::vector<std::string>& paths);

// Loads lists of files on several CPUs, with the requests that --span chooses (empty: the usual
// ones, see measure::RequestChoice). Of summaries, whose requests are chosen already, those whose
// names match. Returns the error of the first unreadable file; prints warnings about skipped damage
// on standard error.
util::Result<std::vector<std::vector<measure::Capture>>> LoadCaptures(
    const std::vector<std::vector<std::string>>& lists, const std::vector<std::string>& spans);

}  // namespace tools
