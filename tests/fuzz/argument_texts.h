// SPDX-License-Identifier: BSD-2-Clause
// Looks the arguments of a program's functions up in its debug information.
#pragma once

#include <cstddef>

#include "symbols/elf_file.h"

namespace fuzz {

// Texts for at most 24 functions of the file. Aborts if the answer is refused behind the boundary
// of the process that gives it. Returns the number of values that were found.
size_t ReadArguments(symbols::ElfFile file);

}  // namespace fuzz
