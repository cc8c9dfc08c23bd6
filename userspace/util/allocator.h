// SPDX-License-Identifier: BSD-2-Clause
// Settings of the C library's allocator, for a process that lives long and must stay small.
#pragma once

namespace util {

// Makes blocks of 1 MiB or more mappings of their own, which the kernel gets back when they are
// freed. By default glibc raises this size, up to 32 MiB, when such a block is freed: later ones
// come from the heap, where one small block behind them keeps them resident.
// And lets all threads allocate from one heap: what one frees another can use.
void ReturnLargeBlocks();

// Gives free pages back to the kernel. Other threads that allocate meanwhile wait, for
// milliseconds.
void ReturnFreePages();

}  // namespace util
