// SPDX-License-Identifier: BSD-2-Clause
// Handles Ctrl-C at a prompt: it cancels the statement, not the program.
#pragma once

namespace tools {

// Records SIGINT from now on. Blocking calls return EINTR.
void NoteInterrupts();
// True if SIGINT arrived since ForgetInterrupt().
bool WasInterrupted();
void ForgetInterrupt();
// Waits until `fd` is readable. False if SIGINT arrived meanwhile or since ForgetInterrupt().
bool AwaitInput(int fd);

}  // namespace tools
