// SPDX-License-Identifier: BSD-2-Clause
// The scheduling priority of the recorder.
#pragma once

namespace tools {

// Gives this thread real-time priority; threads and processes that it creates do not inherit it. A
// real-time priority that it has already stays. False if the process may not.
bool BecomeRealtime();
// Gives this thread the normal priority again, if it may.
void BecomeOrdinary();

}  // namespace tools
