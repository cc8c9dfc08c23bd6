// SPDX-License-Identifier: BSD-2-Clause
// What becomes of `fxt` when the file it reads is cut short under it.
#pragma once

namespace tools {

// Files are mapped, and the kernel answers a look at pages that have gone (the file was truncated
// meanwhile, or its disk failed) with SIGBUS. From now on that is an error message and
// kExitUnreadable. SIGBUS for any other reason still ends the program as a signal does.
void FailOnLostInput();

}  // namespace tools
