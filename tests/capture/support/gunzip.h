// SPDX-License-Identifier: BSD-2-Clause
// Files that may be compressed, as zcat would read them.
#pragma once

#include <string>
#include <vector>

#include "util/result.h"

namespace truth {

struct FileContent {
  std::vector<char> bytes;
  bool gzip = false;
  bool truncated = false;  // a compressed stream without its end; what came before it is in `bytes`
};

// The content of `path`, decompressed if it starts like gzip. Damage other than a missing end is an
// error.
util::Result<FileContent> ReadMaybeGzip(const std::string& path);

}  // namespace truth
