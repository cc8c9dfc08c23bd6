// SPDX-License-Identifier: BSD-2-Clause
// A provider for the tests: exercise ACTION [ARGUMENT]. It uses libfxt-provider alone.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "fxt_provider/event.h"
#include "fxt_provider/span.h"

namespace {

uint64_t Now(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

void Sleep(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

// On a busy machine the reply may take longer than the library waits.
constexpr int kRegistrationMs = 300'000;

void WaitForLine() {
  char line[16];
  if (fgets(line, sizeof line, stdin) == nullptr) _exit(0);
}

void Say(const char* word) {
  puts(word);
  fflush(stdout);
}

fxt_provider::Site inner_site("app", "inner");

// Nested spans that sleep, on several threads.
int Spans(int threads) {
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([i] {
      for (int turn = 0; turn < 5; ++turn) {
        TRACE_DURATION("app", "outer", "thread", i, "turn", turn, "tid", TA_KOID(gettid()));
        const fxt_provider::Span span(inner_site);
        Sleep(2);
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  return 0;
}

// Spans of the main thread. With `dies` the process is killed in the last one.
int Own(const std::string& name, bool dies) {
  for (int turn = 0; turn < 3; ++turn) {
    TRACE_DURATION("app", "own", "program", name);
    Sleep(1);
  }
  if (!dies) return 0;
  TRACE_DURATION_BEGIN("app", "open", "program", name);
  raise(SIGKILL);
  return 1;
}

// One record of each type.
int Kinds() {
  const std::string text = "text";
  TRACE_INSTANT("app", "values", TRACE_SCOPE_GLOBAL, "int32", -1, "uint32", 2u, "int64", INT64_MIN,
                "uint64", UINT64_MAX, "double", 2.5, "string", text, "bool", true, "null", nullptr,
                "pointer", TA_POINTER(reinterpret_cast<void*>(0x1234)), "koid", TA_KOID(77));
  TRACE_INSTANT("app", "many", TRACE_SCOPE_THREAD, "a", 1, "b", 2, "c", 3, "d", 4, "e", 5, "f", 6,
                "g", 7, "h", 8, "i", 9, "j", 10, "k", 11, "l", 12, "m", 13, "n", 14, "o", 15);
  TRACE_COUNTER("app", "queue", 7, "length", 3, "bytes", 4.5);
  const uint64_t id = TRACE_NONCE();
  TRACE_ASYNC_BEGIN("app", "async", id, "begin", 1);
  TRACE_ASYNC_INSTANT("app", "async", id);
  TRACE_ASYNC_END("app", "async", id);
  TRACE_FLOW_BEGIN("app", "flow", id);
  TRACE_FLOW_STEP("app", "flow", id);
  TRACE_FLOW_END("app", "flow", id);
  TRACE_DURATION_BEGIN("app", "pair", "k", "v");
  TRACE_DURATION_END("app", "pair");
  const std::vector<char> blob(30'000, 'x');
  TRACE_BLOB(TRACE_BLOB_TYPE_DATA, "blob", blob.data(), blob.size());
  const std::string huge(40'000, 'y');
  TRACE_INSTANT("app", "huge", TRACE_SCOPE_THREAD, "text", huge);
  TRACE_INSTANT("app", "broken", TRACE_SCOPE_THREAD, "text", "\xff\xfe");
  // A category of the recorder.
  TRACE_INSTANT("sched", "linux_state", TRACE_SCOPE_THREAD, "state", "X");
  TRACE_ALERT("app", "alert-of-app");
  return 0;
}

// Writes numbered instants as fast as possible on several threads. The file `path` has the last
// number of each thread.
int Count(const char* path, int threads) {
  const int fd = open(path, O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, 4096) != 0) return 1;
  auto* done =
      static_cast<uint64_t*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  std::vector<std::thread> all;
  Say("ready");
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([i, done] {
      for (uint64_t k = 1;; ++k) {
        TRACE_INSTANT("app", "count", TRACE_SCOPE_THREAD, "thread", i, "k", k, "same", k);
        __atomic_store_n(&done[i * 8], k, __ATOMIC_RELEASE);
        if (k % 64 == 0) usleep(100);
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  return 0;
}

int Burst(long count) {
  for (long k = 0; k < count; ++k)
    TRACE_INSTANT("app", "burst", TRACE_SCOPE_THREAD, "k", k, "l", k);
  return 0;
}

// A forked child that writes records, and one that executes another program.
int Fork(const char* self) {
  TRACE_INSTANT("app", "parent", TRACE_SCOPE_THREAD);
  const pid_t child = fork();
  if (child == 0) {
    // The first trace point registers the child.
    TRACE_INSTANT("app", "child", TRACE_SCOPE_THREAD);
    fxt_provider_wait(kRegistrationMs);
    TRACE_INSTANT("app", "child", TRACE_SCOPE_THREAD);
    _exit(0);
  }
  const pid_t other = fork();
  if (other == 0) {
    execl(self, self, "one", nullptr);
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  waitpid(other, &status, 0);
  TRACE_INSTANT("app", "parent", TRACE_SCOPE_THREAD);
  return WEXITSTATUS(status);
}

// Prints a line when it is recorded, then writes an instant for each line of its input.
int Follow() {
  while (!TRACE_CATEGORY_ENABLED("app")) Sleep(1);
  Say("recorded");
  char line[64];
  while (fgets(line, sizeof line, stdin) != nullptr) {
    line[strcspn(line, "\n")] = '\0';
    TRACE_INSTANT("app", "line", TRACE_SCOPE_THREAD, "text", line);
    if (strcmp(line, "alert") == 0) TRACE_ALERT("app", "line-alert");
    Say(TRACE_CATEGORY_ENABLED("app") ? "yes" : "no");
  }
  return 0;
}

// Writes instants "clock" between two readings of CLOCK_BOOTTIME, which "was" carries, in ns: for a
// time, and at least some.
int Clock(double seconds) {
  constexpr int kLeast = 200;
  const uint64_t end = Now(CLOCK_MONOTONIC) + static_cast<uint64_t>(seconds * 1e9);
  for (int written = 0; written < kLeast || Now(CLOCK_MONOTONIC) < end; ++written) {
    const uint64_t before = Now(CLOCK_BOOTTIME);
    TRACE_INSTANT("app", "clock", TRACE_SCOPE_THREAD);
    const uint64_t after = Now(CLOCK_BOOTTIME);
    TRACE_INSTANT("app", "was", TRACE_SCOPE_THREAD, "before", before, "after", after);
    usleep(seconds > 60 ? 20'000 : 1000);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string action = argc > 1 ? argv[1] : "";
  const char* argument = argc > 2 ? argv[2] : "0";
  if (action != "wait" && action != "follow") fxt_provider_wait(kRegistrationMs);
  if (action == "spans") return Spans(atoi(argument));
  if (action == "own") return Own(argument, argc > 3);
  if (action == "kinds") return Kinds();
  if (action == "count") return Count(argument, argc > 3 ? atoi(argv[3]) : 1);
  if (action == "burst") return Burst(atol(argument));
  if (action == "fork") return Fork(argv[0]);
  if (action == "follow") return Follow();
  if (action == "clock") return Clock(atof(argument));
  if (action == "one") {
    TRACE_INSTANT("app", "one", TRACE_SCOPE_THREAD, "argument", argument);
    return 0;
  }
  if (action == "wait") {
    Say(fxt_provider_wait(5000) != 0 ? "registered" : "not registered");
    WaitForLine();
    return 0;
  }
  fprintf(stderr, "exercise: unknown action\n");
  return 2;
}
