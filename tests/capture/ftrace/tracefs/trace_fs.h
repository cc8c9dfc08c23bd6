// SPDX-License-Identifier: BSD-2-Clause
// Reads and writes files of a tracefs through a descriptor.
#pragma once

#include <string>
#include <string_view>

#include "util/result.h"
#include "util/unique_fd.h"

namespace truth {

// Returns the contents of a file below `directory`.
util::Result<std::string> ReadFileAt(int directory, const std::string& path);
// Writes `text` with one write(2), as control files require.
util::Status WriteFileAt(int directory, const std::string& path, std::string_view text);

// Opens the mounted tracefs, or mounts one without a directory. That mount disappears with the
// descriptor.
util::Result<util::UniqueFd> OpenTraceFs();

}  // namespace truth
