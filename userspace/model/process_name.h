// SPDX-License-Identifier: BSD-2-Clause
// Chooses the name of a process.
#pragma once

#include <string_view>

namespace model {

// Bytes of a task's comm, without its NUL (TASK_COMM_LEN - 1).
inline constexpr size_t kCommBytes = 15;

// Returns the leader's comm or, if comm is a truncation, the full name: the executable's base name,
// or the base name of the command line's first argument (interpreters and multi-call programs have
// another executable).
std::string_view ChooseProcessName(std::string_view comm, std::string_view executable,
                                   std::string_view cmdline);

}  // namespace model
