// SPDX-License-Identifier: BSD-2-Clause
// The resident memory that this process has had at most.
#pragma once

#include <cstdint>

namespace util {

// Bytes, since the program was executed. getrusage() also counts the memory that the process had
// before, as a copy of the one that started it. 0 if /proc does not show it.
uint64_t PeakMemory();

}  // namespace util
