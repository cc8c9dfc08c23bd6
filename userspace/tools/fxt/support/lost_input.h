// SPDX-License-Identifier: BSD-2-Clause
// Handles truncation of the file that `fxt` reads.
#pragma once

namespace tools {

// Files are mapped. The kernel raises SIGBUS on access to pages that no longer exist (the file was
// truncated, or its disk failed). From now on that prints an error and exits with kExitUnreadable.
// Other SIGBUS signals keep their default effect.
void FailOnLostInput();

}  // namespace tools
