// SPDX-License-Identifier: BSD-2-Clause
// Burns CPU in three functions below libc's qsort(), in the shares 6:10:3, and prints the CPU time
// of each by the thread's clock, ns. Most instructions are in short functions that begin and end
// all the time. With the argument `throw`, exceptions pass the functions.
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace {

bool throws = false;
volatile uint64_t total = 0;

int64_t CpuTime() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

struct Burner {
  const char* name;
  int (*burn)(const void*, const void*);
  int64_t ns;
};

}  // namespace

extern "C" {
__attribute__((noinline)) uint64_t leaf(uint64_t value) {
  return value * 0x9e3779b97f4a7c15 ^ value >> 29;
}

// Saves registers of its caller.
__attribute__((noinline)) uint64_t step(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  const uint64_t e = leaf(a + b);
  const uint64_t f = leaf(c ^ e);
  return leaf(d + f) + a + b + c + d + e;
}

__attribute__((noinline)) void rounds(int count) {
  uint64_t value = total;
  for (int i = 0; i < count; ++i)
    value = step(value, value >> 3, value << 5, static_cast<uint64_t>(i));
  total = value;
  if (throws) throw std::runtime_error("the rounds are over");
}

// Calls rounds() for `ns` of CPU time.
__attribute__((always_inline)) inline int burn(int64_t ns) {
  const int64_t end = CpuTime() + ns;
  while (CpuTime() < end) {
    try {
      rounds(20'000);
    } catch (const std::runtime_error&) {
      total = total + 1;
    }
  }
  return 0;
}
__attribute__((noinline)) int burn_six(const void*, const void*) { return burn(6'000'000); }
__attribute__((noinline)) int burn_ten(const void*, const void*) { return burn(10'000'000); }
__attribute__((noinline)) int burn_three(const void*, const void*) { return burn(3'000'000); }
}

int main(int argc, char** argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 50;
  throws = argc > 2 && strcmp(argv[2], "throw") == 0;
  Burner burners[] = {
      {"burn_six", burn_six, 0}, {"burn_ten", burn_ten, 0}, {"burn_three", burn_three, 0}};
  for (int i = 0; i < times; ++i) {
    for (Burner& burner : burners) {
      // Two elements are compared once.
      char elements[2] = {};
      const int64_t begin = CpuTime();
      qsort(elements, 2, 1, burner.burn);
      burner.ns += CpuTime() - begin;
    }
  }
  for (const Burner& burner : burners)
    printf("%s %lld\n", burner.name, static_cast<long long>(burner.ns));
  return 0;
}
