// SPDX-License-Identifier: BSD-2-Clause
// What the file and a person are told of the filters of a recording.
#pragma once

#include <string>
#include <vector>

#include "capture/bpf/bpf_programs.h"
#include "capture/filter_matches.h"
#include "tools/record/options/record_options.h"

namespace tools {

// One word for each filter, as the file has them: "pid=12". `filter` has the ids in effect, which
// are the machine's.
std::vector<std::string> DescribeFilters(const RecordOptions& options,
                                         const capture::TaskFilter& filter);

// What ids of a process namespace are in the file.
std::vector<std::string> TranslationNotes(const RecordOptions& options,
                                          const capture::TaskFilter& filter);

// A line for each value that no task matches. Said and not refused: who is asked for may be still
// to come.
std::vector<std::string> FilterWarnings(const RecordOptions& options,
                                        const capture::FilterMatches& matches);

}  // namespace tools
