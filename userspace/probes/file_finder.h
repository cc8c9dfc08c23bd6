// SPDX-License-Identifier: BSD-2-Clause
// Finds a program or library by path or bare name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace probes {

// The search paths of bare names.
struct SearchPaths {
  std::string programs;                            // directories, as in $PATH
  std::string library_cache = "/etc/ld.so.cache";  // of ldconfig(8)
  std::vector<std::string> libraries = {"/lib64", "/usr/lib64", "/lib", "/usr/lib",
                                        "/usr/local/lib"};
};

// $PATH, and the system's library cache.
SearchPaths SystemSearchPaths();

// The absolute path of a regular file, with symbolic links resolved. A `name` with a slash is a
// path. Without one it is a program, or a library as in "libc.so.6", "libc" or "c".
util::Result<std::string> FindFile(const std::string& name, const SearchPaths& places);

// One entry of ldconfig's cache.
struct CachedLibrary {
  std::string_view name;
  std::string_view path;
};
// The entries of this machine's kind; empty if the cache is malformed or of another format. The
// result refers to `cache`.
std::vector<CachedLibrary> ReadLibraryCache(std::span<const char> cache);

}  // namespace probes
