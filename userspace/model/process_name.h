// SPDX-License-Identifier: BSD-2-Clause
// What a process is called.
#pragma once

#include <string_view>

namespace model {

// Bytes of a task's name that the kernel keeps (TASK_COMM_LEN less its NUL).
inline constexpr size_t kCommBytes = 15;

// The leader's comm, or, where comm is only the beginning of it, the whole: of the executable's
// base name, or of the base name in the first word of the command line (interpreters and multi-call
// programs have another executable than the name people know).
std::string_view ChooseProcessName(std::string_view comm, std::string_view executable,
                                   std::string_view cmdline);

}  // namespace model
