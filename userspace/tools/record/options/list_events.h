// SPDX-License-Identifier: BSD-2-Clause
// The answer to --list-events.
#pragma once

#include <string>

namespace tools {

// Prints the tracepoints that the pattern matches, with their fields; the exit code.
int ListEvents(const std::string& pattern);

}  // namespace tools
