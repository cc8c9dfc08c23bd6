// SPDX-License-Identifier: BSD-2-Clause
#include "util/allocator.h"

#include <malloc.h>

namespace util {

void ReturnLargeBlocks() {
#ifdef __GLIBC__
  constexpr int kMiB = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, kMiB);
  mallopt(M_TRIM_THRESHOLD, 4 * kMiB);
  mallopt(M_ARENA_MAX, 1);
#endif
}

void ReturnFreePages() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace util
