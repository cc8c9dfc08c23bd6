// SPDX-License-Identifier: BSD-2-Clause
// A process with a child, a thread of the child, a grandchild, and a vfork child that calls exec.
#pragma once

// The process has the name odd-parent. If `stopped`, it stops first and waits for SIGCONT. Each
// member leaves its CPU several times and prints `name=` and `tid=` in the order of creation.
// Returns an exit code.
int Family(bool stopped);
