// SPDX-License-Identifier: BSD-2-Clause
// Files of a tracefs, reached through a descriptor.
#pragma once

#include <string>
#include <string_view>

#include "util/result.h"
#include "util/unique_fd.h"

namespace truth {

// Contents of a file of unknown size below `directory`.
util::Result<std::string> ReadFileAt(int directory, const std::string& path);
// Writes `text` with one write(2), as control files want it.
util::Status WriteFileAt(int directory, const std::string& path, std::string_view text);

// The tracefs of this machine: the mounted one, else a mount of our own that hangs in no directory
// and vanishes with the descriptor, however the program ends.
util::Result<util::UniqueFd> OpenTraceFs();

}  // namespace truth
