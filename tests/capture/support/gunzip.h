// SPDX-License-Identifier: BSD-2-Clause
// Reads plain or compressed files, like zcat.
#pragma once

#include <string>
#include <vector>

#include "util/result.h"

namespace truth {

struct FileContent {
  std::vector<char> bytes;
  bool gzip = false;
  bool truncated = false;  // the stream lacks its end; `bytes` has the part before
};

// Returns the content of `path`, decompressed if it has a gzip header. Damage other than a missing
// end is an error.
util::Result<FileContent> ReadMaybeGzip(const std::string& path);

}  // namespace truth
