// SPDX-License-Identifier: BSD-2-Clause
// Temporary files without a name, which other processes cannot open.
#pragma once

#include "util/result.h"
#include "util/unique_fd.h"

namespace output {

// A file in $TMPDIR, or /var/tmp if that is not set. It disappears when it is closed.
util::Result<util::UniqueFd> MakeUnnamedFile();

// The error for a failed `what` ("write", "read") on such a file; reads errno.
util::Error UnnamedFileFailed(const char* what);

}  // namespace output
