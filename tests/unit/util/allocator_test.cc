// SPDX-License-Identifier: BSD-2-Clause
#include "util/allocator.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace util {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kOwnAllocator = true;
#else
constexpr bool kOwnAllocator = false;
#endif

size_t ResidentBytes() {
  FILE* file = fopen("/proc/self/statm", "re");
  unsigned long all = 0;
  unsigned long resident = 0;
  const int read = fscanf(file, "%lu %lu", &all, &resident);
  fclose(file);
  return read == 2 ? resident * static_cast<size_t>(sysconf(_SC_PAGESIZE)) : 0;
}

TEST(AllocatorTest, FreeMemoryBetweenUsedBlocksGoesBackToTheKernel) {
  if (kOwnAllocator) GTEST_SKIP() << "the sanitizer has an allocator of its own";
  ReturnLargeBlocks();
  constexpr size_t kMiB = size_t{1} << 20;
  const size_t before = ResidentBytes();
  std::vector<void*> used;
  std::vector<void*> freed;
  // Small blocks lie between those that are freed.
  for (int i = 0; i < 512; ++i) {
    freed.push_back(memset(malloc(kMiB / 8), 1, kMiB / 8));
    used.push_back(memset(malloc(64), 1, 64));
  }
  const size_t full = ResidentBytes();
  for (void* block : freed) free(block);
  ReturnFreePages();
  EXPECT_LT(ResidentBytes(), full - 50 * kMiB);
  EXPECT_LT(ResidentBytes(), before + 8 * kMiB);
  // A large block needs no trimming, also not after others were freed.
  for (int i = 0; i < 3; ++i) {
    void* large = memset(malloc(20 * kMiB), 1, 20 * kMiB);
    used.push_back(memset(malloc(64), 1, 64));
    free(large);
    EXPECT_LT(ResidentBytes(), before + 8 * kMiB);
  }
  for (void* block : used) free(block);
}

}  // namespace
}  // namespace util
