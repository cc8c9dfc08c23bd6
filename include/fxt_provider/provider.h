/* SPDX-License-Identifier: BSD-2-Clause */
/* A program as a provider of trace records: what the macros of event.h are made of. C11 and C++17.
 *
 * A program that links libfxt-provider finds the recorder's control socket by itself
 * (/run/fxt-record/control, or what FXT_RECORD_SOCKET names) and takes part in every session from
 * then on. Without a recorder, or without the right to speak to it, nothing happens and a trace
 * point costs about a nanosecond. FXT_PROVIDER=off in the environment leaves the recorder alone
 * altogether. */
#ifndef FXT_PROVIDER_PROVIDER_H_
#define FXT_PROVIDER_PROVIDER_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FXT_PROVIDER_API __attribute__((visibility("default")))

/* A record has so many arguments at most; further ones are left out. */
#define FXT_MAX_ARGUMENTS 15

/* Types of arguments, with the numbers of the format. */
enum fxt_value_type {
  FXT_NULL = 0,
  FXT_INT32 = 1,
  FXT_UINT32 = 2,
  FXT_INT64 = 3,
  FXT_UINT64 = 4,
  FXT_DOUBLE = 5,
  FXT_STRING = 6,
  FXT_POINTER = 7,
  FXT_KOID = 8,
  FXT_BOOL = 9,
  FXT_BLOB = 10,
};

/* The value of an argument. Strings and blobs are copied when the record is written. */
struct fxt_value {
  uint32_t type; /* enum fxt_value_type */
  uint32_t size; /* bytes of a string or blob */
  union {
    int64_t i;
    uint64_t u;
    double d;
    const void* p;
  } of;
};

/* Kinds of events, with the numbers of the format. */
enum fxt_event_type {
  FXT_INSTANT = 0,
  FXT_COUNTER = 1,
  FXT_DURATION_BEGIN = 2,
  FXT_DURATION_END = 3,
  FXT_ASYNC_BEGIN = 5,
  FXT_ASYNC_INSTANT = 6,
  FXT_ASYNC_END = 7,
  FXT_FLOW_BEGIN = 8,
  FXT_FLOW_STEP = 9,
  FXT_FLOW_END = 10,
  FXT_BLOB_RECORD = 14,
  FXT_ALERT = 15,
};

/* A place in the program that writes records: what all of them have in common. The texts outlive
 * the site's use. Set by FXT_SITE(); the rest is the library's. */
struct fxt_site {
  const char* category; /* at most 100 bytes count */
  const char* name;
  const char* const* keys; /* names of arguments */
  uint32_t key_count;      /* at most FXT_MAX_ARGUMENTS */
  uint32_t seen;           /* the state that it was last looked up in, and whether it is wanted */
  uint16_t known;          /* the indexes below are given */
  uint16_t category_index;
  uint16_t name_index;
  uint16_t key_index[FXT_MAX_ARGUMENTS];
};
#define FXT_SITE(category, name, keys, count)              \
  {                                                        \
    (category), (name), (keys), (count), 0, 0, 0, 0, { 0 } \
  }

/* 0 while nobody records; what else it says is the library's. */
extern FXT_PROVIDER_API const uint32_t* fxt_provider_state;

/* The name under which this program takes part, at most 100 bytes. A program that defines it has
 * that name, as in const char fxt_provider_name[] = "my-server"; Else it is FXT_PROVIDER_NAME of
 * the environment, or the program's own. */
extern FXT_PROVIDER_API const char fxt_provider_name[];

/* Looks the site up: nonzero when its category is recorded now. */
FXT_PROVIDER_API int fxt_provider_look(struct fxt_site* site);

/* Writes a record on the calling thread: `values` are those of the site's keys. `payload`: the id
 * of a counter, an async event or a flow. Neither waits nor allocates, and calls the kernel for
 * nothing; where there is no room the record is lost, and counted. Async-signal-safe: a record from
 * a signal handler that interrupts the writing of another one is lost, and counted. */
FXT_PROVIDER_API void fxt_provider_write(const struct fxt_site* site, uint32_t type,
                                         uint64_t payload, const struct fxt_value* values);

/* Whether a session records anything of this program now. */
static inline int fxt_provider_enabled(void) {
  return (__atomic_load_n(fxt_provider_state, __ATOMIC_RELAXED) & ~UINT32_C(1)) != 0;
}

/* Whether the site's category is recorded now. */
static inline int fxt_site_enabled(struct fxt_site* site) {
  const uint32_t state = __atomic_load_n(fxt_provider_state, __ATOMIC_RELAXED);
  if (__builtin_expect(state == 0, 1)) return 0;
  const uint32_t seen = __atomic_load_n(&site->seen, __ATOMIC_ACQUIRE);
  if (seen == (state | 1)) return 1;
  if (seen == state) return 0;
  return fxt_provider_look(site);
}

/* A number that no other call in this process returns: ids of async events and flows. */
FXT_PROVIDER_API uint64_t fxt_provider_nonce(void);

/* For programs whose texts are no constants (bindings of other languages): a site that lasts as
 * long as the process; the texts are copied. Null when there is no memory, or more than
 * FXT_MAX_ARGUMENTS keys. */
FXT_PROVIDER_API struct fxt_site* fxt_site_make(const char* category, const char* name,
                                                const char* const* keys, uint32_t key_count);
/* Writes if the site's category is recorded. */
FXT_PROVIDER_API void fxt_site_write(struct fxt_site* site, uint32_t type, uint64_t payload,
                                     const struct fxt_value* values);
FXT_PROVIDER_API int fxt_site_is_enabled(struct fxt_site* site);

/* Waits until the recorder has been asked, for at most `milliseconds`: nonzero when this program
 * takes part. For programs that are over at once; others need not. */
FXT_PROVIDER_API int fxt_provider_wait(uint32_t milliseconds);

/* Values. */
static inline struct fxt_value fxt_null_value(void) {
  struct fxt_value v = {FXT_NULL, 0, {0}};
  return v;
}
static inline struct fxt_value fxt_int32_value(int32_t value) {
  struct fxt_value v = {FXT_INT32, 0, {0}};
  v.of.i = value;
  return v;
}
static inline struct fxt_value fxt_uint32_value(uint32_t value) {
  struct fxt_value v = {FXT_UINT32, 0, {0}};
  v.of.u = value;
  return v;
}
static inline struct fxt_value fxt_int64_value(int64_t value) {
  struct fxt_value v = {FXT_INT64, 0, {0}};
  v.of.i = value;
  return v;
}
static inline struct fxt_value fxt_uint64_value(uint64_t value) {
  struct fxt_value v = {FXT_UINT64, 0, {0}};
  v.of.u = value;
  return v;
}
static inline struct fxt_value fxt_double_value(double value) {
  struct fxt_value v = {FXT_DOUBLE, 0, {0}};
  v.of.d = value;
  return v;
}
static inline struct fxt_value fxt_bytes_value(uint32_t type, const void* bytes, size_t size) {
  struct fxt_value v = {type, 0, {0}};
  v.size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
  v.of.p = bytes;
  return v;
}
static inline struct fxt_value fxt_string_value(const char* text) {
  return fxt_bytes_value(FXT_STRING, text, text != NULL ? strlen(text) : 0);
}
static inline struct fxt_value fxt_chars_value(const char* text, size_t size) {
  return fxt_bytes_value(FXT_STRING, text, size);
}
static inline struct fxt_value fxt_blob_value(const void* bytes, size_t size) {
  return fxt_bytes_value(FXT_BLOB, bytes, size);
}
static inline struct fxt_value fxt_pointer_value(const volatile void* pointer) {
  struct fxt_value v = {FXT_POINTER, 0, {0}};
  v.of.u = (uint64_t)(uintptr_t)pointer;
  return v;
}
static inline struct fxt_value fxt_koid_value(uint64_t koid) {
  struct fxt_value v = {FXT_KOID, 0, {0}};
  v.of.u = koid;
  return v;
}
static inline struct fxt_value fxt_bool_value(int value) {
  struct fxt_value v = {FXT_BOOL, 0, {0}};
  v.of.u = value != 0;
  return v;
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
