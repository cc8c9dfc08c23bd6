// SPDX-License-Identifier: BSD-2-Clause
// Finds the files that a program will map when it starts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace unwind {

// The program itself, its interpreter (of a script: that program's files) and the libraries that it
// and they need, where ld.so(8) would find them. Files that are not found are left out. A guess:
// the program's environment is not known.
// `cache` is the file of ldconfig(8).
std::vector<std::string> ProgramFiles(const std::string& path,
                                      const std::string& cache = "/etc/ld.so.cache");

// The path of library `name` for x86-64 in the contents of a cache of ldconfig(8); empty: none.
std::string FindInLoaderCache(std::string_view cache, std::string_view name);

}  // namespace unwind
