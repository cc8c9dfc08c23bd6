// SPDX-License-Identifier: BSD-2-Clause
// A server and its clients, which publish trace contexts and log them:
//
//   traced LIBRARY|- CONNECTIONS REQUESTS GO DONE [late|fork]
//
// Opens the library that publishes contexts ("-": it is linked), opens the FIFO GO for reading, and
// then makes that many requests on each of the connections over TCP. Each side of a connection has
// a thread. Then opens the FIFO DONE for writing. With "late" it opens the library behind GO, with
// "fork" it makes a child process there, which does the rest; both pause 10 ms before each request.
//
// Prints a line for each request and side: "SIDE PORT NUMBER TRACE SPAN", or "SIDE PORT NUMBER - -"
// for one without a context, in order of the requests of a connection. PORT is the client's. Some
// of the requests without a context have a record that is invalid, or a pointer that leads nowhere.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)  \
  do {                    \
    if (!(condition)) {   \
      perror(#condition); \
      exit(1);            \
    }                     \
  } while (0)

enum { kIdBytes = 24, kKinds = 9 };

__attribute__((weak)) void traced_publish(const uint8_t* ids, uint8_t valid);
__attribute__((weak)) void traced_point(void* pointer);

static void (*publish)(const uint8_t*, uint8_t);
static void (*point)(void*);
static int requests;
static useconds_t pause_time;
static uint8_t* absent_page;  // never accessed
static uint8_t* last_bytes;   // of a page before one that cannot be read

struct side {
  const char* name;
  int socket;
  int port;  // the client's
  uint32_t random;
  char* log;
  size_t log_size;
  FILE* out;
};

static uint32_t next_random(struct side* side) {
  side->random = side->random * 1664525 + 1013904223;
  return side->random >> 8;
}

// Publishes the context of a request and logs it.
static void begin(struct side* side, int number) {
  uint8_t ids[kIdBytes];
  for (int i = 0; i < kIdBytes; ++i) ids[i] = (uint8_t)next_random(side);
  const uint32_t kind = next_random(side) % (2 * kKinds);
  fprintf(side->out, "%s %d %d ", side->name, side->port, number);
  if (kind >= kKinds) {
    publish(ids, 1);
    for (int i = 0; i < kIdBytes; ++i) fprintf(side->out, i == 16 ? " %02x" : "%02x", ids[i]);
    fprintf(side->out, "\n");
    return;
  }
  fprintf(side->out, "- -\n");
  switch (kind) {
    case 0:
    case 1:
      return point(NULL);
    case 2:
      return publish(ids, 0);
    case 3:
      return publish(ids, 2);
    case 4:
      memset(ids, 0, 16);
      return publish(ids, 1);
    case 5:
      return point((void*)8);
    case 6:
      return point((void*)0xffffffff81000000);
    case 7:
      return point(absent_page);
    default:
      return point(last_bytes);
  }
}

static void* serve(void* argument) {
  struct side* side = argument;
  char text[16];
  for (int i = 0; recv(side->socket, text, sizeof(text), 0) > 0; ++i) {
    begin(side, i);
    CHECK(send(side->socket, "answer", 6, 0) == 6);
  }
  return NULL;
}

static void* ask(void* argument) {
  struct side* side = argument;
  char text[16];
  for (int i = 0; i < requests; ++i) {
    if (pause_time) usleep(pause_time);
    begin(side, i);
    CHECK(send(side->socket, "ask", 3, 0) == 3);
    CHECK(recv(side->socket, text, sizeof(text), 0) == 6);
  }
  shutdown(side->socket, SHUT_WR);
  return NULL;
}

static void open_library(const char* path) {
  if (strcmp(path, "-") == 0) {
    publish = traced_publish;
    point = traced_point;
    CHECK(publish && point);
    return;
  }
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) fprintf(stderr, "%s\n", dlerror());
  CHECK(library);
  publish = (void (*)(const uint8_t*, uint8_t))dlsym(library, "traced_publish");
  point = (void (*)(void*))dlsym(library, "traced_point");
  CHECK(publish && point);
}

int main(int argc, char** argv) {
  CHECK(argc >= 6);
  const int connections = atoi(argv[2]);
  const int late = argc > 6 && strcmp(argv[6], "late") == 0;
  const int forks = argc > 6 && strcmp(argv[6], "fork") == 0;
  requests = atoi(argv[3]);
  if (late || forks) pause_time = 10000;
  if (!late) open_library(argv[1]);
  const long page = sysconf(_SC_PAGESIZE);
  absent_page = mmap(NULL, (size_t)page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  uint8_t* pages =
      mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(absent_page != MAP_FAILED && pages != MAP_FAILED);
  memset(pages, 1, (size_t)page);
  CHECK(mprotect(pages + page, (size_t)page, PROT_NONE) == 0);
  last_bytes = pages + page - 26;

  const int go = open(argv[4], O_RDONLY);
  CHECK(go >= 0);
  if (late) open_library(argv[1]);
  const pid_t child = forks ? fork() : 0;
  CHECK(child >= 0);
  if (child > 0) {
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    return status != 0;
  }
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof(address);
  CHECK(bind(listener, (struct sockaddr*)&address, size) == 0 && listen(listener, 64) == 0);
  CHECK(getsockname(listener, (struct sockaddr*)&address, &size) == 0);
  struct side* sides = calloc(2 * (size_t)connections, sizeof(*sides));
  pthread_t* threads = calloc(2 * (size_t)connections, sizeof(*threads));
  for (int i = 0; i < 2 * connections; i += 2) {
    struct side* server = sides + i;
    struct side* client = sides + i + 1;
    struct sockaddr_in own;
    const int on = 1;
    *server = (struct side){.name = "server", .random = (uint32_t)i};
    *client = (struct side){.name = "client", .random = (uint32_t)i + 1};
    client->socket = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(connect(client->socket, (struct sockaddr*)&address, sizeof(address)) == 0);
    server->socket = accept(listener, NULL, NULL);
    CHECK(server->socket >= 0);
    setsockopt(client->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    setsockopt(server->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    size = sizeof(own);
    CHECK(getsockname(client->socket, (struct sockaddr*)&own, &size) == 0);
    server->port = client->port = ntohs(own.sin_port);
    server->out = open_memstream(&server->log, &server->log_size);
    client->out = open_memstream(&client->log, &client->log_size);
    CHECK(pthread_create(&threads[i], NULL, serve, server) == 0);
    CHECK(pthread_create(&threads[i + 1], NULL, ask, client) == 0);
  }
  for (int i = 0; i < 2 * connections; ++i) {
    pthread_join(threads[i], NULL);
    fclose(sides[i].out);
    fputs(sides[i].log, stdout);
  }
  // No page was made present by a reader.
  unsigned char present = 0;
  CHECK(mincore(absent_page, (size_t)page, &present) == 0);
  printf("present %d\n", present & 1);
  fflush(stdout);
  CHECK(open(argv[5], O_WRONLY) >= 0);
  return 0;
}
