// SPDX-License-Identifier: BSD-2-Clause
// Describes the filters of a recording, in the file and for people.
#pragma once

#include <string>
#include <vector>

#include "capture/bpf/bpf_programs.h"
#include "capture/filter_matches.h"
#include "tools/record/options/record_options.h"

namespace tools {

// One word per filter for the file, such as "pid=12". `filter` has the ids in the machine's own
// process namespace.
std::vector<std::string> DescribeFilters(const RecordOptions& options,
                                         const capture::TaskFilter& filter);

// Lines that name the machine's ids for ids of another process namespace.
std::vector<std::string> TranslationNotes(const RecordOptions& options,
                                          const capture::TaskFilter& filter);

// A warning for each value that no task matches. It is not an error: the task may start later.
std::vector<std::string> FilterWarnings(const RecordOptions& options,
                                        const capture::FilterMatches& matches);

}  // namespace tools
