// SPDX-License-Identifier: BSD-2-Clause
// Creates and ends tasks at the highest rate.
#pragma once

// Runs on every CPU for this many milliseconds: fork, vfork and threads alternately. The tasks end
// at once. Prints their number and returns an exit code.
int Births(int milliseconds);
