// SPDX-License-Identifier: BSD-2-Clause
// Ctrl-C at a prompt: it ends what is being done, and not the program.
#pragma once

namespace tools {

// From now on SIGINT is only noted. Calls that wait end with EINTR.
void NoteInterrupts();
// Whether it came since ForgetInterrupt().
bool WasInterrupted();
void ForgetInterrupt();
// Waits until a read of `fd` waits no more. False: SIGINT came, meanwhile or since
// ForgetInterrupt().
bool AwaitInput(int fd);

}  // namespace tools
