// SPDX-License-Identifier: BSD-2-Clause
// Calls functions with arguments of many types and prints each call as a line of JSON. `time COUNT`
// calls one of them and prints the CPU time of a call in ns.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sdt.h>
#include <time.h>

#define NOT_INLINED __attribute__((noinline, noclone, noipa))

enum color { RED = 1, GREEN = 7, NONE = -2 };
union word {
  int whole;
  short half;
};
struct header {
  uint16_t kind;
  char tag[8];
};
struct request {
  long size;
  const char* path;
  struct header header;
  struct request* next;
  unsigned low : 3, high : 9;
  double price;
  union {
    int code;
    unsigned flags;
  };
  union word word;
};
struct pair {
  int first;
  int second;
};
struct big {
  long values[5];
};

volatile long sink = 0;

NOT_INLINED int integers(int8_t a, uint8_t b, int16_t c, uint16_t d, int e, unsigned f, int64_t g,
                         uint64_t h) {
  sink = sink + a + b + c + d + e + f + g + (long)h;
  return -e;
}
NOT_INLINED const char* copies(const char* name, size_t len, char* buf) {
  sink = sink + (long)len;
  memcpy(buf, name, len + 1);
  return len == 0 ? NULL : buf;
}
NOT_INLINED bool kinds(enum color color, bool truth, char letter, void* address, float unused,
                       int after) {
  sink = sink + color + truth + letter + (long)address + (long)unused + after;
  return !truth;
}
NOT_INLINED unsigned short members(struct request* request, struct pair pair, struct big big,
                                   int last) {
  sink = sink + request->size + pair.first + big.values[1] + last;
  return (unsigned short)request->size;
}
NOT_INLINED struct big returns_big(int number) {
  struct big big = {{number, 2, 3, 4, 5}};
  sink = sink + number;
  return big;
}
NOT_INLINED double floats(double first, int second) {
  sink = sink + second;
  return first * 2;
}
struct point {
  double x;
  float y;
  double more[3];
};
NOT_INLINED double measures(double a, double b, double c, double d, double e, double f, double g,
                            double h, double ninth, float tenth, struct point point,
                            struct point* to, const double* many, int count) {
  sink = sink + (long)(a + b + c + d + e + f + g + h + ninth + tenth + point.x + to->x + many[1]) +
         count;
  return ninth;
}
NOT_INLINED long recurs(long depth) {
  sink = sink + 1;
  return depth == 0 ? 0 : 1 + recurs(depth - 1);
}
NOT_INLINED long reads(const char* absent, long number) {
  sink = sink + number + (absent != NULL);
  return number;
}

int main(int argc, char** argv) {
  if (argc > 2 && strcmp(argv[1], "time") == 0) {
    const long n = atol(argv[2]);
    struct timespec begin, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    for (long i = 0; i < n; ++i) reads("/a/path", i);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    printf("%ld\n", ((end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec) / n);
    return 0;
  }
  char buf[1024];
  static char text[400];
  for (int i = 0; i < 20; ++i) {
    const int e = i % 2 ? -i * 1000 : i;
    const int result =
        integers((int8_t)-i, (uint8_t)(200 + i), (int16_t)(-300 * i), (uint16_t)(65000 + i), e,
                 4000000000u + (unsigned)i, -(1L << 40) * i, ~0UL - (unsigned long)i);
    printf(
        "{\"f\": \"integers\", \"a\": %d, \"b\": %d, \"c\": %d, \"d\": %d, \"e\": %d, \"f_\": %u, "
        "\"g\": %ld, \"h\": %lu, \"ret\": %d}\n",
        -i, 200 + i, -300 * i, 65000 + i, e, 4000000000u + (unsigned)i, -(1L << 40) * i,
        ~0UL - (unsigned long)i, result);
  }
  for (size_t len = 0; len < 300; len += 23) {
    for (size_t i = 0; i < len; ++i) text[i] = (char)('a' + (len + i) % 26);
    text[len] = 0;
    strcpy(buf, "before");
    const char* result = copies(text, len, buf);
    printf(
        "{\"f\": \"copies\", \"name\": \"%s\", \"len\": %zu, \"buf\": \"before\", \"ret\": "
        "%s%s%s}\n",
        text, len, result ? "\"" : "", result ? result : "null", result ? "\"" : "");
  }
  const enum color colors[] = {RED, GREEN, NONE};
  for (int i = 0; i < 3; ++i) {
    const bool result = kinds(colors[i], i == 1, (char)('x' + i), buf + i, 1.5f, i);
    printf(
        "{\"f\": \"kinds\", \"color\": %d, \"truth\": %s, \"letter\": %d, \"address\": %lu, "
        "\"after\": %d, \"ret\": %s}\n",
        (int)colors[i], i == 1 ? "true" : "false", 'x' + i, (unsigned long)(buf + i), i,
        result ? "true" : "false");
  }
  for (int i = 0; i < 5; ++i) {
    struct request inner = {.size = 77 + i, .path = "/inner", .price = 0.25 * i, .flags = 9};
    struct request request = {.size = 60000 * i,
                              .path = i % 2 ? "/odd" : "/even",
                              .header = {(uint16_t)(9 + i), "tagged"},
                              .next = &inner,
                              .low = (unsigned)i,
                              .high = 500u + (unsigned)i,
                              .code = -5};
    memcpy(request.header.tag, "abcdefgh", i == 3 ? 8 : 3);
    const struct pair pair = {i, -i};
    const struct big big = {{1, 10 + i, 3, 4, 5}};
    const unsigned short result = members(&request, pair, big, 40 + i);
    printf(
        "{\"f\": \"members\", \"size\": %ld, \"path\": \"%s\", \"kind\": %d, \"tag\": \"%.8s\", "
        "\"inner\": %ld, \"price\": %g, \"high\": %d, "
        "\"code\": -5, \"second\": %d, \"big\": %d, \"last\": %d, \"ret\": %d}\n",
        request.size, request.path, 9 + i, request.header.tag, inner.size, inner.price, 500 + i, -i,
        10 + i, 40 + i, result);
  }
  for (int i = 0; i < 4; ++i) {
    const struct big big = returns_big(i);
    printf("{\"f\": \"returns_big\", \"number\": %ld}\n", big.values[0]);
    sink = sink + (long)floats(i, i);
    printf("{\"f\": \"floats\", \"second\": %d}\n", i);
  }
  for (int i = 0; i < 4; ++i) {
    struct point point = {0.125 * i, -1.5f * (float)i, {1, 2.5 * i, 3}};
    struct point to = {1e300 * i, 0.1f, {-0.5, i, 1}};
    const double many[2] = {i, 1.0 / (i + 1)};
    measures(1, 2, 3, 4, 5, 6, 7, 8, -0.25 * i, 0.5f * (float)i, point, &to, many, i);
    printf(
        "{\"f\": \"measures\", \"ninth\": %.17g, \"tenth\": %.17g, \"x\": %.17g, \"y\": %.17g, "
        "\"more\": %.17g, \"to\": %.17g, "
        "\"to_y\": %.17g, \"many\": %.17g, \"count\": %d}\n",
        -0.25 * i, (double)(0.5f * (float)i), point.x, (double)point.y, point.more[1], to.x,
        (double)to.y, many[1], i);
  }
  recurs(30);
  char* absent = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  reads(absent, 1);
  reads(NULL, 2);
  reads("present", 3);
  reads((const char*)16, 4);
  for (long i = 0; i < 1000; ++i) reads("x", i * 10);
  for (int i = 0; i < 6; ++i) {
    snprintf(buf, sizeof(buf), "item %d", i);
    DTRACE_PROBE3(arguments, sold, i, (const char*)buf, (long)(i * 100));
    printf("{\"f\": \"sold\", \"arg1\": %d, \"arg2\": \"%s\", \"arg3\": %d}\n", i, buf, i * 100);
  }
  return 0;
}
