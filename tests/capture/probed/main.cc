// SPDX-License-Identifier: BSD-2-Clause
// Calls functions and USDT probes known numbers of times and measures them. Prints NAME COUNT NS
// for each. `wait` repeats until the program is killed. `plain COUNT` calls one function and prints
// its time.
#include <setjmp.h>
#include <signal.h>
#include <sys/sdt.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#define NOT_INLINED __attribute__((noinline, noclone, noipa))

namespace {

uint64_t Now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

void SleepMs(long ms) {
  timespec time{ms / 1000, ms % 1000 * 1'000'000};
  while (nanosleep(&time, &time) != 0) {
  }
}

jmp_buf back;

}  // namespace

volatile long sink = 0;

extern "C" {
NOT_INLINED long c_sleeps(long ms) {
  SleepMs(ms);
  return ms * 3;
}
NOT_INLINED long c_counts(long number) {
  sink = sink + 1;
  return -number;
}
NOT_INLINED unsigned long c_wide(unsigned long number) {
  sink = sink + 1;
  return number * 0x9e3779b97f4a7c15ul;
}
NOT_INLINED long c_recurs(long depth) {
  if (depth <= 0) return 0;
  const long inner = c_recurs(depth - 1);
  sink = sink + 1;
  return inner + 1;
}
NOT_INLINED void c_jumps_out(long depth) {
  sink = sink + 1;
  if (depth == 0) longjmp(back, 1);
  if (depth > 0) c_jumps_out(depth - 1);
  sink = sink + 1;
}
NOT_INLINED void c_never_returns() { pthread_exit(nullptr); }
}

namespace shop {
struct Basket {
  NOT_INLINED int Add(int item) {
    sink = sink + item;
    return item;
  }
};
NOT_INLINED int Pay(int) {
  sink = sink + 1;
  return 1;
}
NOT_INLINED int Pay(const char*) {
  sink = sink + 1;
  return 2;
}
template <typename T>
NOT_INLINED T Twice(T value) {
  sink = sink + 1;
  return value + value;
}
NOT_INLINED void Throws() { throw std::runtime_error("on purpose"); }
}  // namespace shop

int main(int argc, char** argv) {
  const char* const mode = argc > 1 ? argv[1] : "";
  if (std::strcmp(mode, "wait") == 0) {
    std::puts("ready");
    std::fflush(stdout);
    for (;;) c_sleeps(1);
  }
  if (std::strcmp(mode, "plain") == 0) {
    const long calls = std::atol(argv[2]);
    const uint64_t begin = Now();
    for (long i = 0; i < calls; ++i) c_counts(i);
    std::printf("c_counts %ld %llu\n", calls, static_cast<unsigned long long>(Now() - begin));
    return 0;
  }
  uint64_t slept = 0;
  for (long ms = 1; ms <= 10; ++ms) {
    const uint64_t begin = Now();
    c_sleeps(ms);
    slept += Now() - begin;
  }
  std::printf("c_sleeps 10 %llu\n", static_cast<unsigned long long>(slept));
  for (long i = 0; i < 1000; ++i) c_counts(i);
  std::printf("c_counts 1000 0\n");
  for (unsigned long i = 1; i <= 5; ++i) c_wide(i);
  std::printf("c_wide 5 0\n");
  c_recurs(20);
  std::printf("c_recurs 21 0\n");
  for (int i = 0; i < 3; ++i) {
    if (setjmp(back) == 0) c_jumps_out(4);
  }
  std::printf("c_jumps_out 15 0\n");
  for (int i = 0; i < 4; ++i) {
    try {
      shop::Throws();
    } catch (const std::runtime_error&) {
    }
  }
  std::printf("shop::Throws() 4 0\n");
  shop::Basket basket;
  for (int i = 0; i < 7; ++i) basket.Add(i);
  std::printf("shop::Basket::Add(int) 7 0\n");
  shop::Pay(1);
  shop::Pay("two");
  shop::Twice(2);
  shop::Twice(2L);
  for (long i = 0; i < 6; ++i) {
    DTRACE_PROBE4(probed, sold, static_cast<int>(-i), static_cast<unsigned char>(200 + i),
                  static_cast<unsigned long>(i) << 40, static_cast<short>(-i));
    DTRACE_PROBE(probed, plain);
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (long n = 0; n < 250; ++n) c_counts(n);
      c_never_returns();
    });
  }
  for (std::thread& each : threads) each.join();
  std::printf("c_never_returns 4 0\n");
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    for (long n = 0; n < 100; ++n) c_counts(n);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  std::printf("child %d 0\n", child);
  return 0;
}
