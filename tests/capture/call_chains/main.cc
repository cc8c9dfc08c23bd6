// SPDX-License-Identifier: BSD-2-Clause
// Waits and computes in known call chains and prints "chain nanoseconds" for each. System calls are
// inline, so no function without a frame pointer is in a chain.
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#define CHAIN __attribute__((noinline, noipa))

namespace {

inline __attribute__((always_inline)) long Call(long number, long a, long b, long c, long d) {
#if defined(__x86_64__)
  // This forces a frame pointer even in a leaf function.
  asm volatile("" : : "r"(__builtin_frame_address(0)));
  long result;
  register long r10 asm("r10") = d;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
               : "rcx", "r11", "memory");
  return result;
#else
  return syscall(number, a, b, c, d);
#endif
}

uint64_t Now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

// Keeps a call from becoming a jump, which would leave no frame.
inline __attribute__((always_inline)) void Stay() { asm volatile("" ::: "memory"); }

void Report(const char* chain, uint64_t ns) {
  printf("%s %llu\n", chain, static_cast<unsigned long long>(ns));
}

inline __attribute__((always_inline)) void Sleep(long ms) {
  const timespec time{0, ms * 1'000'000};
  Call(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, reinterpret_cast<long>(&time), 0);
}

}  // namespace

extern "C" {

CHAIN void nap_for_commit() { Sleep(4), Stay(); }
CHAIN void commit() { nap_for_commit(), Stay(); }
CHAIN void nap_for_retry() { Sleep(7), Stay(); }
CHAIN void retry() { nap_for_retry(), Stay(); }
CHAIN void nap_for_throttle() { Sleep(11), Stay(); }
CHAIN void throttle() { nap_for_throttle(), Stay(); }
CHAIN void nap_in_compiled_code() { Sleep(5), Stay(); }
// Names in the current and the legacy mangling of Rust.
CHAIN void rust_nap() asm("_RNvCs1234_7mycrate3nap");
CHAIN void rust_nap() { Sleep(5), Stay(); }
CHAIN void old_rust_nap() asm("_ZN7mycrate7old_nap17h0123456789abcdefE");
CHAIN void old_rust_nap() { Sleep(5), Stay(); }

CHAIN void compute(uint64_t ns) {
  const uint64_t begin = Now(CLOCK_THREAD_CPUTIME_ID);
  volatile uint64_t sum = 0;
  while (Now(CLOCK_THREAD_CPUTIME_ID) - begin < ns) {
    for (int i = 0; i < 100'000; ++i) sum = sum + static_cast<uint64_t>(i);
  }
  Report("compute", Now(CLOCK_THREAD_CPUTIME_ID) - begin);
}

std::atomic<int> lock_word;
// Calls of the main thread that a holder's wakeup ended.
uint64_t lock_waits = 0;

CHAIN void wait_for_lock() {
  while (lock_word.exchange(1) != 0) {
    lock_waits +=
        Call(SYS_futex, reinterpret_cast<long>(&lock_word), FUTEX_WAIT_PRIVATE, 1, 0) == 0;
  }
}
CHAIN void acquire() { wait_for_lock(), Stay(); }

inline __attribute__((always_inline)) void Release() {
  lock_word = 0;
  Call(SYS_futex, reinterpret_cast<long>(&lock_word), FUTEX_WAKE_PRIVATE, 1, 0);
}
CHAIN void release_after_checkpoint() { Release(), Stay(); }
CHAIN void release_after_vacuum() { Release(), Stay(); }

CHAIN void wait_in_read(int fd) {
  char byte = 0;
  Call(SYS_read, fd, reinterpret_cast<long>(&byte), 1, 0);
}
CHAIN void receive(int fd) { wait_in_read(fd), Stay(); }

constexpr size_t kTableBytes = 4 << 20;
CHAIN void read_from_disk(int fd, void* buffer) {
  Call(SYS_pread64, fd, reinterpret_cast<long>(buffer), kTableBytes, 0);
}
CHAIN void load_table(int fd, void* buffer) { read_from_disk(fd, buffer), Stay(); }
}

namespace {

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (pipe(ends) != 0) abort();
  }
  void Send() const {
    if (write(ends[1], "x", 1) != 1) abort();
  }
  // Returns false at the end of the pipe.
  bool Take() const {
    char byte;
    return read(ends[0], &byte, 1) == 1;
  }
};

template <typename Work>
void Repeat(const char* chain, int times, Work work) {
  uint64_t total = 0;
  for (int i = 0; i < times; ++i) {
    const uint64_t begin = Now(CLOCK_MONOTONIC);
    work();
    total += Now(CLOCK_MONOTONIC) - begin;
  }
  Report(chain, total);
}

// Two threads hold the lock alternately. A holder that is late does not let the main thread wait,
// so the waits for each are reported, too.
void ContendForLock(int times) {
  Pipe orders[2];
  Pipe held;
  std::thread holders[2];
  for (int which = 0; which < 2; ++which) {
    holders[which] = std::thread([&, which] {
      prctl(PR_SET_NAME, which == 0 ? "checkpointer" : "vacuum");
      while (orders[which].Take()) {
        lock_word = 1;
        held.Send();
        Sleep(6);
        which == 0 ? release_after_checkpoint() : release_after_vacuum();
      }
    });
  }
  uint64_t total = 0;
  uint64_t waits[2] = {0, 0};
  for (int i = 0; i < times; ++i) {
    orders[i % 2].Send();
    held.Take();
    lock_waits = 0;
    const uint64_t begin = Now(CLOCK_MONOTONIC);
    acquire();
    total += Now(CLOCK_MONOTONIC) - begin;
    waits[i % 2] += lock_waits;
    lock_word = 0;
  }
  Report("wait_for_lock", total);
  Report("waits for checkpointer", waits[0]);
  Report("waits for vacuum", waits[1]);
  for (Pipe& order : orders) close(order.ends[1]);
  for (std::thread& holder : holders) holder.join();
}

void ReceiveFromPipe(int times) {
  Pipe orders;
  Pipe data;
  std::thread sender([&] {
    while (orders.Take()) {
      Sleep(6);
      data.Send();
    }
  });
  uint64_t total = 0;
  for (int i = 0; i < times; ++i) {
    orders.Send();
    const uint64_t begin = Now(CLOCK_MONOTONIC);
    receive(data.ends[0]);
    total += Now(CLOCK_MONOTONIC) - begin;
  }
  Report("wait_in_read", total);
  close(orders.ends[1]);
  sender.join();
}

// Reads with O_DIRECT, so each read waits for the disk; skipped without O_DIRECT. A read also takes
// CPU time, which is subtracted: off-CPU stacks have only the waits.
void ReadFromDisk(int times) {
  char path[] = "/var/tmp/call_chains.XXXXXX";
  const int written = mkstemp(path);
  if (written < 0) return;
  void* buffer = aligned_alloc(4096, kTableBytes);
  memset(buffer, 1, kTableBytes);
  const int fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
  unlink(path);
  const bool whole = write(written, buffer, kTableBytes) == static_cast<ssize_t>(kTableBytes) &&
                     fsync(written) == 0;
  close(written);
  if (fd >= 0 && whole && pread(fd, buffer, 4096, 0) == 4096) {
    uint64_t total = 0;
    for (int i = 0; i < times; ++i) {
      const uint64_t worked = Now(CLOCK_THREAD_CPUTIME_ID);
      const uint64_t begin = Now(CLOCK_MONOTONIC);
      load_table(fd, buffer);
      total += Now(CLOCK_MONOTONIC) - begin - (Now(CLOCK_THREAD_CPUTIME_ID) - worked);
    }
    Report("read_from_disk", total);
  }
  if (fd >= 0) close(fd);
  free(buffer);
}

// push rbp; mov rbp, rsp; call rdi; pop rbp; ret
void RunCompiledCode(int times) {
#if defined(__x86_64__)
  constexpr unsigned char kCode[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) abort();
  memcpy(page, kCode, sizeof(kCode));
  if (mprotect(page, 4096, PROT_READ | PROT_EXEC) != 0) abort();
  char path[64];
  snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) abort();
  dprintf(fd, "%llx %zx compiled script:12\n",
          static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(page)), sizeof(kCode));
  close(fd);
  using Function = void (*)(void (*)());
  const auto compiled = reinterpret_cast<Function>(page);
  Repeat("nap_in_compiled_code", times, [&] { compiled(nap_in_compiled_code); });
#else
  (void)times;
#endif
}

}  // namespace

// Usage: call_chains REPETITIONS COMPUTE_MS.
int main(int argc, char** argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 40;
  const uint64_t compute_ms = argc > 2 ? strtoull(argv[2], nullptr, 10) : 1000;
  printf("pid %d\n", getpid());
  // compute() runs at normal priority. The waits run with real-time priority: otherwise their times
  // would include waiting for the CPU.
  compute(compute_ms * 1'000'000);
  sched_param priority{};
  priority.sched_priority = 2;
  sched_setscheduler(0, SCHED_FIFO, &priority);
  Repeat("nap_for_commit", times, [] { commit(); });
  Repeat("nap_for_retry", times, [] { retry(); });
  Repeat("nap_for_throttle", times, [] { throttle(); });
  Repeat("mycrate::nap", times, [] { rust_nap(); });
  Repeat("mycrate::old_nap", times, [] { old_rust_nap(); });
  ContendForLock(times);
  ReceiveFromPipe(times);
  ReadFromDisk(times);
  RunCompiledCode(times);
  return 0;
}
