// SPDX-License-Identifier: BSD-2-Clause
// The tables of lines in code objects of CPython: co_lnotab (3.9), co_linetable (3.10), and the
// location table (3.11 and later).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace symbols {

// The line of an instruction, counted in units of two bytes; 0: not known. `minor` is that of the
// version, 3.x. The table may contain anything.
uint32_t PythonLine(uint32_t minor, std::span<const std::byte> table, uint32_t first_line,
                    uint32_t instruction);

}  // namespace symbols
