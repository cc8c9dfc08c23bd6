/* SPDX-License-Identifier: BSD-2-Clause */
/* What a trace point costs: the same loop for every library. Prints lines "WHAT NS". */
#pragma once

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 20000, ROUNDS = 60, MAX_THREADS = 64 };

static inline double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

/* Rounds of calls with rests between them, in which the reader empties the buffers; the
 * median of the rounds. */
#define MEASURE(what, statement)                      \
  do {                                                \
    double rounds[ROUNDS];                            \
    for (int round = 0; round < ROUNDS; ++round) {    \
      const struct timespec rest = {0, 40000000};     \
      nanosleep(&rest, NULL);                         \
      for (int i = 0; i < 200; ++i) {                 \
        statement;                                    \
        __asm__ volatile("" ::: "memory");            \
      }                                               \
      const double begin = now_ns();                  \
      for (int i = 0; i < CALLS; ++i) {               \
        statement;                                    \
        __asm__ volatile("" ::: "memory");            \
      }                                               \
      rounds[round] = (now_ns() - begin) / CALLS;     \
    }                                                 \
    qsort(rounds, ROUNDS, sizeof rounds[0], by_size); \
    printf("%s %.3f\n", (what), rounds[ROUNDS / 2]);  \
    fflush(stdout);                                   \
  } while (0)

static inline void measure_clocks(void) {
  uint64_t sink = 0;
  struct timespec now;
  MEASURE("loop", (void)sink);
#if defined(__x86_64__)
  MEASURE("counter", sink += __builtin_ia32_rdtsc());
#endif
  MEASURE("clock_gettime", clock_gettime(CLOCK_MONOTONIC, &now));
  (void)sink;
  (void)now;
}

/* Threads at the same time; ns a call of the slowest. */
static void* threads_body(void* body) {
  ((void (*)(void))(uintptr_t)body)();
  return NULL;
}
static inline void measure_threads(const char* what, int threads, void (*body)(void)) {
  pthread_t all[MAX_THREADS];
  double rounds[ROUNDS];
  for (int round = 0; round < ROUNDS; ++round) {
    const struct timespec rest = {0, 40000000};
    nanosleep(&rest, NULL);
    const double begin = now_ns();
    for (int i = 0; i < threads; ++i) {
      pthread_create(&all[i], NULL, threads_body, (void*)(uintptr_t)body);
    }
    for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
    rounds[round] = (now_ns() - begin) / CALLS;
  }
  qsort(rounds, ROUNDS, sizeof rounds[0], by_size);
  printf("%s %.3f\n", what, rounds[ROUNDS / 2]);
}
