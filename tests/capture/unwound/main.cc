// SPDX-License-Identifier: BSD-2-Clause
// Sleeps in libc below functions without frame pointers. Prints the time of each, and for each
// sleep the stack that the C library's own unwinder finds: "stack" and the return addresses,
// innermost first, from the caller of the sleeping function on.
#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

#include <alloca.h>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;

struct Nap {
  const char* name;
  int64_t ns;
};
Nap naps[] = {{"nap_three", 0}, {"nap_five", 0}, {"nap_short", 0}};

// Sleeps and prints the stack. Forced into its callers, so that a frame is a function's own.
__attribute__((always_inline)) inline void Sleep(Nap* nap, unsigned microseconds, bool prints) {
  if (prints) {
    void* frames[127];
    const int count = backtrace(frames, 127);
    char text[127 * 20];
    size_t size = 0;
    for (int i = 1; i < count; ++i) {
      size += static_cast<size_t>(snprintf(text + size, sizeof(text) - size, " %zx",
                                           reinterpret_cast<uintptr_t>(frames[i])));
    }
    printf("stack%s\n", text);
  }
  const auto begin = Clock::now();
  usleep(microseconds);
  nap->ns += (Clock::now() - begin) / std::chrono::nanoseconds(1);
}

}  // namespace

extern "C" {
__attribute__((noinline)) void nap_three(bool prints) { Sleep(&naps[0], 3000, prints); }
__attribute__((noinline)) void nap_five(bool prints) { Sleep(&naps[1], 5000, prints); }
__attribute__((noinline)) void nap_short(bool prints) { Sleep(&naps[2], 1500, prints); }

// Frames of different sizes, and one that is known at run time alone.
__attribute__((noinline)) void descend(int depth, bool prints) {
  auto* memory = static_cast<volatile char*>(alloca(static_cast<size_t>(depth) * 96 + 16));
  memory[0] = 1;
  if (depth > 0) {
    descend(depth - 1, prints);
  } else {
    nap_short(prints);
  }
  memory[1] = 2;
}

// A frame whose stack is realigned.
__attribute__((noinline)) void aligned(bool prints) {
  alignas(128) char memory[256];
  asm volatile("" : : "r"(memory) : "memory");
  nap_short(prints);
  asm volatile("" : : "r"(memory) : "memory");
}

__attribute__((noinline)) void nap_and_throw(bool prints) {
  nap_short(prints);
  throw std::runtime_error("thrown");
}

void on_signal(int) { nap_short(true); }
}

int main(int argc, char** argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 20;
  // The recorder learns meanwhile what is mapped.
  usleep(300000);
  // Its first call loads a library.
  void* frame;
  backtrace(&frame, 1);
  usleep(100000);
  for (int i = 0; i < times; ++i) {
    const bool prints = i == times - 1;
    nap_three(prints);
    nap_five(prints);
    nap_short(prints);
  }
  for (const Nap& nap : naps) printf("%s %ld\n", nap.name, static_cast<long>(nap.ns));
  descend(20, true);
  aligned(true);
  try {
    nap_and_throw(true);
  } catch (const std::exception&) {
  }
  std::thread([] { descend(3, true); }).join();
  signal(SIGUSR1, on_signal);
  raise(SIGUSR1);
  return 0;
}
