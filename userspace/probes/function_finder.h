// SPDX-License-Identifier: BSD-2-Clause
// Finds functions of an executable or library by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/debug_files.h"
#include "util/result.h"

namespace probes {

struct FoundFunction {
  std::string name;      // demangled
  uint64_t offset = 0;   // offset in the file
  uint64_t address = 0;  // as in symbols::ElfFile::AddressOf()
};

// True if `symbol` names the function with this demangled name: all of it, without parameters
// (`ns::f` for `ns::f(int)`), or also without template arguments.
bool IsCalled(std::string_view demangled, std::string_view symbol);

// True if `symbol` has wildcards (* and ?), as fnmatch(3) has them, and is no C++ operator.
bool IsPattern(std::string_view symbol);

// All functions that `symbol` names, mangled or as in IsCalled, or that a pattern matches. The
// pattern
// "*" matches what the file exports, or all of its functions if it exports none. Patterns leave out
// functions that a return probe would break: the program's entry, setjmp(3) and its kind, the
// unwinder of exceptions. Uses the symbols of the file and of its debug file. Errors: none is found
// (with the nearest names); the file is not ELF or is stripped; it is a Go program, whose movable
// stacks do not survive return probes.
util::Result<std::vector<FoundFunction>> FindFunctions(const std::string& file,
                                                       const std::string& symbol,
                                                       const symbols::DebugFileOptions& options);

}  // namespace probes
