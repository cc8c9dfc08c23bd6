// SPDX-License-Identifier: BSD-2-Clause
// When the recorder gets a CPU.
#pragma once

namespace tools {

// Real-time priority for this thread, but not for what it forks; one that whoever started it has
// given it stays. False where there is no right to it.
bool BecomeRealtime();
// The usual one again, of whoever has the right to change it.
void BecomeOrdinary();

}  // namespace tools
