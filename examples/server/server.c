/* SPDX-License-Identifier: BSD-2-Clause */
/* A small server whose requests are spans. Four workers answer requests that a client thread sends
 * over a socket pair; now and then a worker holds the lock of the store for long (the span
 * "compact"), and the requests of others wait for it.
 *
 *   cc -O2 server.c $(pkg-config --cflags --libs fxt-provider) -pthread -o server
 *   sudo fxt-record --providers -o server.fxt -- ./server 2
 *   fxt query server.fxt "SELECT ts, dur / 1e6 AS ms, tid FROM spans WHERE name = 'request' ORDER
 * BY dur DESC"
 *
 * In a viewer the longest request has a span "lock" inside, in which its thread sleeps, and the
 * wakeup that ends it comes from the worker whose span "compact" ends there. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "fxt_provider/event.h"

const char fxt_provider_name[] = "example-server";

enum { WORKERS = 4, COMPACT_EVERY = 40 };

struct request {
  uint64_t id; /* of its flow, from the client to the worker */
  int number;
};

static pthread_mutex_t store_lock = PTHREAD_MUTEX_INITIALIZER;
static int sockets[2];

static void rest(long microseconds) {
  const struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
  nanosleep(&time, NULL);
}

static void use_store(int number) {
  TRACE_DURATION_BEGIN("server", "lock");
  pthread_mutex_lock(&store_lock);
  TRACE_DURATION_END("server", "lock");
  if (number % COMPACT_EVERY == 0) {
    TRACE_DURATION("server", "compact", "request", number);
    rest(20000);
  } else {
    rest(100);
  }
  pthread_mutex_unlock(&store_lock);
}

static void* work(void* unused) {
  (void)unused;
  struct request request;
  while (read(sockets[1], &request, sizeof request) == (ssize_t)sizeof request) {
    TRACE_DURATION("server", "request", "number", request.number);
    TRACE_FLOW_END("server", "sent", request.id);
    rest(300);
    use_store(request.number);
  }
  return NULL;
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 2;
  pthread_t workers[WORKERS];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) != 0) return 1;
  for (int i = 0; i < WORKERS; ++i) {
    if (pthread_create(&workers[i], NULL, work, NULL) != 0) return 1;
  }
  const int count = (int)(seconds * 1000);
  for (int number = 1; number <= count; ++number) {
    TRACE_DURATION("client", "send", "number", number);
    const struct request request = {TRACE_NONCE(), number};
    TRACE_FLOW_BEGIN("server", "sent", request.id);
    if (write(sockets[0], &request, sizeof request) < 0) return 1;
    TRACE_COUNTER("client", "requests", 0, "sent", number);
    rest(1000);
  }
  shutdown(sockets[0], SHUT_WR);
  for (int i = 0; i < WORKERS; ++i) pthread_join(workers[i], NULL);
  printf("%d requests\n", count);
  return 0;
}
