// SPDX-License-Identifier: BSD-2-Clause
// A program that changes its stacks while they are unwound. Threads sleep, wake one another and
// compute below forty frames, to which they never return, and with any stack and frame pointer.
// Another thread writes into these frames all the time, and into what looks like an interpreter of
// Python 3.11. With "bystander" it sleeps below main() and prints how often.
//
//   hostile_stacks SECONDS [bystander]
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string_view>
#include <vector>

#if !defined(__x86_64__)
#error "registers are those of x86-64"
#endif

namespace {
constexpr size_t kRuntimeWords = 8192;
}  // namespace

// The symbols that identify CPython. The recorder follows the words of _PyRuntime.
extern "C" {
extern const unsigned long Py_Version;
const unsigned long Py_Version = 0x030b'02f0;
uint64_t _PyRuntime[kRuntimeWords];
}

namespace {

constexpr int kDepth = 40;
constexpr timespec kNap{0, 10'000'000};

// Words of a stack that their thread does not use any more.
struct Frames {
  volatile uint64_t* begin = nullptr;
  volatile uint64_t* end = nullptr;
  pthread_t thread{};
  std::vector<uint64_t> original;
};
constexpr size_t kVictims = 5;
Frames victims[kVictims];
uint32_t futex_word = 0;

uint64_t Random() {
  static thread_local uint64_t state = 0x1234567 + static_cast<uint64_t>(syscall(SYS_gettid));
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

// A system call with these pointers, which the kernel does not use.
long CallWith(uint64_t stack, uint64_t frame, long number, const void* argument) {
  long result = number;
  asm volatile(
      "mov %%rsp, %%r12\n\tmov %%rbp, %%r13\n\tmov %[frame], %%rbp\n\tmov %[stack], "
      "%%rsp\n\tsyscall\n\t"
      "mov %%r12, %%rsp\n\tmov %%r13, %%rbp"
      : "+a"(result)
      : "D"(argument), "S"(0), [frame] "r"(frame), [stack] "r"(stack)
      : "rcx", "r11", "r12", "r13", "memory");
  return result;
}

uint64_t AnyPointer();

// The innermost functions do not return: the frames of their callers are not theirs any more.
[[noreturn]] void Nap() {
  for (;;) {
    asm volatile("syscall" : : "a"(SYS_nanosleep), "D"(&kNap), "S"(0) : "rcx", "r11", "memory");
  }
}

// The nearest one that is an address. Some machines do not return from the kernel to another.
uint64_t Canonical(uint64_t pointer) {
  return static_cast<uint64_t>(static_cast<int64_t>(pointer << 16) >> 16);
}

[[noreturn]] void NapAnywhere() {
  for (;;) CallWith(Canonical(AnyPointer()), AnyPointer(), SYS_nanosleep, &kNap);
}

[[noreturn]] void Compute() {
  for (;;) {
    // With any frame pointer: the loop uses the others.
    asm volatile(
        "mov %%rbp, %%r13\n\tmov %[frame], %%rbp\n\tmov $2000000, %%r12\n1:\tdec %%r12\n\tjnz "
        "1b\n\tmov %%r13, %%rbp"
        :
        : [frame] "r"(AnyPointer())
        : "r12", "r13", "cc");
    asm volatile("syscall" : : "a"(SYS_nanosleep), "D"(&kNap), "S"(0) : "rcx", "r11", "memory");
  }
}

[[noreturn]] void Wake() {
  for (;;) {
    asm volatile("syscall" : : "a"(SYS_nanosleep), "D"(&kNap), "S"(0) : "rcx", "r11", "memory");
    __atomic_fetch_add(&futex_word, 1, __ATOMIC_SEQ_CST);
    asm volatile("syscall"
                 :
                 : "a"(SYS_futex), "D"(&futex_word), "S"(FUTEX_WAKE), "d"(1)
                 : "rcx", "r11", "memory");
  }
}

[[noreturn]] void Wait() {
  for (;;) {
    register long timeout asm("r10") = 0;
    const uint32_t seen = __atomic_load_n(&futex_word, __ATOMIC_SEQ_CST);
    asm volatile("syscall"
                 :
                 : "a"(SYS_futex), "D"(&futex_word), "S"(FUTEX_WAIT), "d"(seen), "r"(timeout)
                 : "rcx", "r11", "memory");
  }
}

using Innermost = void (*)();
constexpr Innermost kInnermost[kVictims] = {Nap, NapAnywhere, Compute, Wake, Wait};

// A value that a word of a stack or of the interpreter may have.
uint64_t AnyPointer() {
  const Frames& victim = victims[Random() % kVictims];
  const auto words = static_cast<uint64_t>(victim.end - victim.begin);
  switch (Random() % 12) {
    case 0:
      return Random();
    case 1:
      return Random() % 4096;
    case 2:
      return Random() | 0xffff'8000'0000'0000;
    case 3:
      return Random() & 0x7fff'ffff'f000;
    case 4:
      return reinterpret_cast<uint64_t>(kInnermost[Random() % kVictims]) + Random() % 256;
    case 5:
      return reinterpret_cast<uint64_t>(&printf) + Random() % 4096;
    case 6:
      return reinterpret_cast<uint64_t>(_PyRuntime) + Random() % sizeof(_PyRuntime);
    case 7:
    case 8:
      return reinterpret_cast<uint64_t>(&_PyRuntime[Random() % kRuntimeWords]);
    case 9:
      return static_cast<uint64_t>(victim.thread);
    default:
      return words == 0 ? 0 : reinterpret_cast<uint64_t>(victim.begin + Random() % words);
  }
}

// An interpreter with a thread for each victim, all with the same list of frames.
void MakeInterpreter() {
  volatile uint64_t* const words = _PyRuntime;
  const auto at = [](size_t index) { return reinterpret_cast<uint64_t>(&_PyRuntime[index]); };
  constexpr size_t kInterpreter = 64, kThread = 128, kThreadWords = 32, kRun = 320, kCode = 352,
                   kText = 400, kFrames = 512;
  constexpr uint64_t kLength = 20, kCompactText = 0x64;
  words[40 / 8] = at(kInterpreter);
  words[kInterpreter + 16 / 8] = at(kThread);
  for (size_t i = 0; i < kVictims; ++i) {
    const size_t thread = kThread + i * kThreadWords;
    words[thread + 8 / 8] = at(thread + kThreadWords);
    words[thread + 152 / 8] = static_cast<uint64_t>(victims[i].thread);
    words[thread + 56 / 8] = at(kRun);
  }
  words[kRun + 1] = at(kFrames);
  for (const size_t text : {112 / 8, 128 / 8, 136 / 8}) words[kCode + text] = at(kText);
  words[kText + 2] = kLength;
  words[kText + 3] = Random();
  words[kText + 4] = kCompactText;
  for (size_t i = 0; i < 200; ++i) {
    const size_t frame = kFrames + i * 16;
    words[frame + 48 / 8] = at(frame + 16);
    words[frame + 32 / 8] = at(kCode);
    words[frame + 56 / 8] = at(kCode + 30);
  }
}

[[noreturn]] void Scribble() {
  for (;;) {
    MakeInterpreter();
    // Frames are mostly right, so that stacks are deep.
    for (const Frames& victim : victims) {
      if (Random() % 2 == 0) continue;
      for (size_t i = 0; i < victim.original.size(); ++i) victim.begin[i] = victim.original[i];
    }
    const uint64_t changes = Random() % 64;
    for (uint64_t i = 0; i < changes; ++i) {
      const Frames& victim = victims[Random() % kVictims];
      const auto words = static_cast<uint64_t>(victim.end - victim.begin);
      if (words != 0) victim.begin[Random() % words] = AnyPointer();
      if (Random() % 4 == 0)
        const_cast<volatile uint64_t*>(_PyRuntime)[Random() % kRuntimeWords] = AnyPointer();
    }
    // Leaves the CPU to the others.
    usleep(200);
  }
}

}  // namespace

extern "C" {
// The functions below are called by this name, too.
__attribute__((noinline)) void _PyEval_EvalFrameDefault(int depth, size_t number) {
  auto* const frame = static_cast<volatile uint64_t*>(__builtin_frame_address(0));
  if (depth == kDepth) victims[number].end = frame;
  if (depth > 0) {
    _PyEval_EvalFrameDefault(depth - 1, number);
  } else {
    victims[number].thread = pthread_self();
    __atomic_store_n(&victims[number].begin, frame + 2, __ATOMIC_RELEASE);
    kInnermost[number]();
  }
  // No tail call.
  asm volatile("");
}

__attribute__((noinline)) int64_t rest(int64_t end) {
  int64_t times = 0;
  timespec now{};
  do {
    nanosleep(&kNap, nullptr);
    ++times;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec < end);
  return times;
}
}

int main(int argc, char** argv) {
  const int64_t seconds = argc > 1 ? atoll(argv[1]) : 1;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (argc > 2 && std::string_view(argv[2]) == "bystander") {
    printf("sleeps %lld\n", static_cast<long long>(rest(now.tv_sec + seconds)));
    return 0;
  }
  for (size_t i = 0; i < kVictims; ++i) {
    pthread_t thread{};
    const auto run = [](void* number) -> void* {
      _PyEval_EvalFrameDefault(kDepth, reinterpret_cast<size_t>(number));
      return nullptr;
    };
    if (pthread_create(&thread, nullptr, run, reinterpret_cast<void*>(i)) != 0) return 1;
  }
  for (Frames& victim : victims) {
    while (__atomic_load_n(&victim.begin, __ATOMIC_ACQUIRE) == nullptr) usleep(1000);
    victim.original.assign(victim.begin, victim.end);
  }
  pthread_t scribbler{};
  const auto scribble = [](void*) -> void* { Scribble(); };
  if (pthread_create(&scribbler, nullptr, scribble, nullptr) != 0) return 1;
  timespec rest_time{static_cast<time_t>(seconds), 0};
  nanosleep(&rest_time, nullptr);
  _exit(0);
}
