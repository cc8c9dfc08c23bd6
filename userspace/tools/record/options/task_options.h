// SPDX-License-Identifier: BSD-2-Clause
// The options that select whose events are recorded.
#pragma once

#include "request/trace_config.h"
#include "tools/common/command_line.h"

namespace tools {

// `filter` outlives the parsing.
void AddTaskOptions(const Command& command, request::TaskFilter& filter);

}  // namespace tools
