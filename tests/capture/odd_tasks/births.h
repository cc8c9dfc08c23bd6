// SPDX-License-Identifier: BSD-2-Clause
// Tasks that come and go as fast as the machine lets them.
#pragma once

// On every CPU, for so many milliseconds: processes by fork, by vfork, and threads, in turns. They
// all do nothing but end. The exit code of a program; prints how many there were.
int Births(int milliseconds);
