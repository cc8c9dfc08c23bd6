// SPDX-License-Identifier: BSD-2-Clause
// What this process has cost.
#pragma once

#include <cstdint>

namespace session {

// CPU time of all its threads, ns.
uint64_t ProcessTime();

}  // namespace session
