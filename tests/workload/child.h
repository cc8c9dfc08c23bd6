// SPDX-License-Identifier: BSD-2-Clause
// Child processes that never outlive the program or its time limit.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace workload {

// Every process of the program gets killed this many seconds after it began. Call once, before any
// child is started.
void SetTimeLimit(unsigned seconds);

// Forks; the child is named `name` (unless empty), runs `body` and exits with what it returns. Ends
// the program when there is no process to be had.
pid_t StartChild(const std::string& name, const std::function<int()>& body);

// Waits for the end of `child`. True when it exited with status 0.
bool WaitForChild(pid_t child);

// Pins the calling thread. False, with a message, when the CPU is not there.
bool PinTo(int cpu);

void SleepMilliseconds(unsigned milliseconds);

// "EPERM" for EPERM; "ok" for 0.
std::string ErrnoName(int error);

std::string Hex(const std::string& bytes);

}  // namespace workload
