// SPDX-License-Identifier: BSD-2-Clause
// A process and what it makes: a child, a thread of that, a grandchild, and one by vfork that
// executes a program.
#pragma once

// The process calls itself odd-parent and, if `stopped`, stops before it makes anything; SIGCONT
// lets it go on. Each member, all of which leave their CPU a few times, prints `name=` and `tid=`
// in the order in which they are made. The exit code of a program.
int Family(bool stopped);
