// SPDX-License-Identifier: BSD-2-Clause
// Implements --list-events.
#pragma once

#include <string>

namespace tools {

// Prints the tracepoints that match the pattern, with their fields. Returns the exit code.
int ListEvents(const std::string& pattern);

}  // namespace tools
