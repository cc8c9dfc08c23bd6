// SPDX-License-Identifier: BSD-2-Clause
// Functions of an executable or library by the names that people call them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/debug_files.h"
#include "util/result.h"

namespace probes {

struct FoundFunction {
  std::string name;     // demangled
  uint64_t offset = 0;  // of its first byte in the file
};

// Whether `symbol` means the function whose demangled name this is: all of it, or without
// parameters (`ns::f` for `ns::f(int)`), or without template arguments as well.
bool IsCalled(std::string_view demangled, std::string_view symbol);

// All that `symbol` means: a mangled name, or one as IsCalled takes it, which may be several
// functions. By the symbols of the file and of its debug file. Error: there is none, with the
// nearest names; the file is not ELF, is stripped, or is a Go program, whose stacks move and which
// does not survive that its returns are watched.
util::Result<std::vector<FoundFunction>> FindFunctions(const std::string& file,
                                                       const std::string& symbol,
                                                       const symbols::DebugFileOptions& options);

}  // namespace probes
