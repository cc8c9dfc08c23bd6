// SPDX-License-Identifier: BSD-2-Clause
// Files without a name, for what does not fit into memory.
#pragma once

#include "util/unique_fd.h"

namespace output {

// The folder that temporary files go to: $TMPDIR, /var/tmp without one.
const char* TemporaryFolder();

// A file there that nobody else finds, and that is gone when it is closed; mode 0600. Empty with
// errno on failure.
util::UniqueFd OpenUnnamedFile();

}  // namespace output
