// SPDX-License-Identifier: BSD-2-Clause
// The CPU time of this process.
#pragma once

#include <cstdint>

namespace session {

// CPU time of all threads of this process, ns.
uint64_t ProcessTime();

}  // namespace session
