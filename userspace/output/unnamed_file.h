// SPDX-License-Identifier: BSD-2-Clause
// Temporary files that nobody else can open.
#pragma once

#include "util/result.h"
#include "util/unique_fd.h"

namespace output {

// A file without a name, in $TMPDIR, /var/tmp without one. It is gone when it is closed.
util::Result<util::UniqueFd> MakeUnnamedFile();

// What to say when `what` ("write", "read") failed on one; looks at errno.
util::Error UnnamedFileFailed(const char* what);

}  // namespace output
