// SPDX-License-Identifier: BSD-2-Clause
// Child processes that end with the program or at its time limit.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace workload {

// Kills every process of the program after this many seconds. Call once, before the first child.
void SetTimeLimit(unsigned seconds);

// Forks. The child gets the name `name` (unless empty), runs `body` and exits with its result. Ends
// the program if fork fails.
pid_t StartChild(const std::string& name, const std::function<int()>& body);

// Waits for the end of `child`. Returns whether its exit status is 0.
bool WaitForChild(pid_t child);

// Pins the calling thread. Prints a message and returns false if the CPU does not exist.
bool PinTo(int cpu);

void SleepMilliseconds(unsigned milliseconds);

// "EPERM" for EPERM; "ok" for 0.
std::string ErrnoName(int error);

std::string Hex(const std::string& bytes);

}  // namespace workload
