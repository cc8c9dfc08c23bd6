// SPDX-License-Identifier: BSD-2-Clause
// Finds the captures named on a command line.
#pragma once

#include <string>
#include <vector>

#include "measure/capture.h"
#include "util/result.h"

namespace tools {

// The traces and summaries of `paths`, sorted by name: files, and from folders, recursively, those
// with the endings .fxt, .fxt.gz and .fxs. If files in a folder differ only in these endings,
// the first one in this order is used. A folder without captures is an error.
util::Result<std::vector<std::string>> FindCaptures(const std::vector<std::string>& paths);

// Loads lists of files on several CPUs, with the requests that --span selects (empty: the default,
// see measure::RequestChoice). In summaries, which have selected requests, it selects by name.
// Returns the error of the first unreadable file; prints warnings about skipped damage on standard
// error.
util::Result<std::vector<std::vector<measure::Capture>>> LoadCaptures(
    const std::vector<std::vector<std::string>>& lists, const std::vector<std::string>& spans);

}  // namespace tools
