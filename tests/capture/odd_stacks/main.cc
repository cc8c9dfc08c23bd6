// SPDX-License-Identifier: BSD-2-Clause
// Sleeps on unusual stacks: frames at the end of a mapping, in a cycle, downwards, at odd
// addresses, and of assembly code that uses the frame pointer for something else. The return
// addresses are those of generated code without unwind tables; with the arguments "unmapped MS"
// there is no code at these addresses, and MS milliseconds pass first.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <initializer_list>

namespace {

constexpr uint64_t kPage = 4096;
constexpr timespec kNap{0, 1'000'000};
constexpr uint64_t kCode = 0x100000;
constexpr size_t kCodeBytes = 0x10000;
uint64_t next_address = kCode;

// Sleeps with this frame pointer.
void SleepWithFrameAt(uint64_t frame) {
#if defined(__x86_64__)
  long result;
  asm volatile("mov %%rbp, %%r12\n\tmov %[frame], %%rbp\n\tsyscall\n\tmov %%r12, %%rbp"
               : "=a"(result)
               : "a"(SYS_nanosleep), "D"(&kNap), "S"(0), [frame] "r"(frame)
               : "rcx", "r11", "r12", "memory");
#else
  (void)frame;
#endif
}

// Pages with an unmapped page behind them.
uint64_t Pages(size_t count) {
  char* const begin = static_cast<char*>(mmap(nullptr, (count + 1) * kPage, PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (begin == MAP_FAILED || munmap(begin + count * kPage, kPage) != 0) abort();
  return reinterpret_cast<uint64_t>(begin);
}

void Put(uint64_t at, uint64_t value) { memcpy(reinterpret_cast<void*>(at), &value, 8); }

void PutFrame(uint64_t at, uint64_t next) {
  Put(at, next);
  Put(at + 8, next_address += 16);
}

// Makes frames with this distance in bytes. The last one contains `end`.
void Row(uint64_t first, int64_t apart, int count, uint64_t end) {
  for (int i = 0; i < count; ++i) {
    const uint64_t at = first + static_cast<uint64_t>(apart * i);
    PutFrame(at, i + 1 < count ? at + static_cast<uint64_t>(apart) : end);
  }
  SleepWithFrameAt(first);
}

__attribute__((noinline, noipa)) void Recurse(int depth) {
  char room[8 + 37 * 8];
  memset(room, depth, sizeof(room));
  asm volatile("" : : "r"(room) : "memory");
  if (depth > 0) {
    Recurse(depth - 1);
  } else {
    SleepWithFrameAt(reinterpret_cast<uint64_t>(__builtin_frame_address(0)));
  }
  asm volatile("" : : "r"(room) : "memory");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2 && strcmp(argv[1], "unmapped") == 0) {
    // By then a recorder knows the mappings of this program.
    usleep(static_cast<useconds_t>(atoi(argv[2])) * 1000);
  } else if (mmap(reinterpret_cast<void*>(kCode), kCodeBytes, PROT_READ | PROT_EXEC,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
                  0) != reinterpret_cast<void*>(kCode)) {
    abort();
  }
  const uint64_t memory = Pages(16);
  const uint64_t end = memory + 16 * kPage;
  memset(reinterpret_cast<void*>(memory), 0, 16 * kPage);
  for (const int64_t apart :
       {16, 24, 232, 239, 240, 241, 248, 255, 256, 257, 264, 1000, -16, -240, -256, -500}) {
    Row(memory + 8 * kPage, apart, 12, 0);
  }
  for (const uint64_t odd : {1, 3, 7, 8, 13})
    Row(memory + 32 + odd, 16 + static_cast<int64_t>(odd), 9, 0);
  // The last frames before the end of the mapping, and one that crosses it.
  Row(end - 5 * 16, 16, 5, 0);
  Row(end - 256, 16, 3, 0);
  Row(end - 255, 17, 3, 0);
  Put(end - 8, 0);
  Row(memory, 16, 4, end - 8);
  Row(memory, 16, 4, end);
  // A cycle yields the maximum number of frames.
  Row(memory + 64, 16, 6, memory + 64);
  PutFrame(memory + 512, memory + 512);
  SleepWithFrameAt(memory + 512);
  // Values that are no address of a frame.
  for (const uint64_t junk :
       {uint64_t{0}, uint64_t{1}, uint64_t{8}, kPage - 1, kPage, uint64_t{1} << 47,
        (uint64_t{1} << 47) - 8, uint64_t{1} << 62, ~uint64_t{0}, ~uint64_t{7},
        uint64_t{0xffffffff81000000}, uint64_t{0xffff888000000000}}) {
    Row(memory + 1024, 48, 3, junk);
    SleepWithFrameAt(junk);
  }
  // A mapped page without memory: unwinding does not fault it in.
  Row(memory, 16, 2, Pages(4));
  Recurse(20);
  Recurse(200);
  return 0;
}
