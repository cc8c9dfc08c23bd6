// SPDX-License-Identifier: BSD-2-Clause
// The file that a person means by the path or the bare name of a program or library.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace probes {

// Where bare names are looked for.
struct FilePlaces {
  std::string programs;                            // folders, as in $PATH
  std::string library_cache = "/etc/ld.so.cache";  // of ldconfig(8)
  std::vector<std::string> libraries = {"/lib64", "/usr/lib64", "/lib", "/usr/lib",
                                        "/usr/local/lib"};
};

// $PATH, and the system's libraries.
FilePlaces SystemPlaces();

// The absolute path of a regular file, links followed. With a slash in it, `name` is a path;
// without one, it is a program, or a library as in "libc.so.6", "libc" or "c". Error: there is no
// such file.
util::Result<std::string> FindFile(const std::string& name, const FilePlaces& places);

// One line of ldconfig's cache.
struct CachedLibrary {
  std::string_view name;
  std::string_view path;
};
// Those of this machine's kind; none where the cache is damaged or of another format. What is
// returned points into `cache`.
std::vector<CachedLibrary> ReadLibraryCache(std::span<const char> cache);

}  // namespace probes
