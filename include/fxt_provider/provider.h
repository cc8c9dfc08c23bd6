/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface of libfxt-provider, which the macros of event.h call. C11 and C++17.
 *
 * The library connects to the recorder's control socket (/run/fxt-record/control, or the path in
 * FXT_RECORD_SOCKET) when the program starts. From then on the program is a provider of every
 * session. Without a recorder, or without permission to connect, a trace point costs about a
 * nanosecond and has no effect. FXT_PROVIDER=off in the environment disables the library. */
#ifndef FXT_PROVIDER_PROVIDER_H_
#define FXT_PROVIDER_PROVIDER_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FXT_PROVIDER_API __attribute__((visibility("default")))

/* Limit of arguments per record. */
#define FXT_MAX_ARGUMENTS 15

/* Argument types, numbered as in the FXT document. */
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

/* The value of an argument. Writing a record copies strings and blobs. */
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

/* Event types, numbered as in the FXT document; the last two are libfxt-provider's own. */
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

/* A trace point: the category, the name and the keys of its records. The texts must outlive the
 * site. FXT_SITE() sets the first four fields; the library owns the others. */
struct fxt_site {
  const char* category; /* cut to 100 bytes */
  const char* name;
  const char* const* keys; /* names of arguments */
  uint32_t key_count;      /* at most FXT_MAX_ARGUMENTS */
  uint32_t seen;           /* state of the last lookup; bit 0: the category is enabled */
  uint16_t known;          /* the indexes below are assigned */
  uint16_t category_index;
  uint16_t name_index;
  uint16_t key_index[FXT_MAX_ARGUMENTS];
};
#define FXT_SITE(category, name, keys, count)              \
  {                                                        \
    (category), (name), (keys), (count), 0, 0, 0, 0, { 0 } \
  }

/* 0 while no session records; other values are internal to the library. */
extern FXT_PROVIDER_API const uint32_t* fxt_provider_state;

/* The provider's name, at most 100 bytes. A program may define it:
 * const char fxt_provider_name[] = "my-server"; The default is FXT_PROVIDER_NAME of the
 * environment, or the program's own name. */
extern FXT_PROVIDER_API const char fxt_provider_name[];

/* Resolves the site for the current session. Returns nonzero if its category is recorded. */
FXT_PROVIDER_API int fxt_provider_look(struct fxt_site* site);

/* Writes a record on the calling thread. `values` belong to the site's keys, in their order.
 * `payload` is the id of a counter, an async event or a flow. Neither blocks nor allocates nor
 * makes a system call. A record without room is lost and counted. Async-signal-safe: a signal
 * handler that interrupts another write of its thread loses its record, which is counted. */
FXT_PROVIDER_API void fxt_provider_write(const struct fxt_site* site, uint32_t type,
                                         uint64_t payload, const struct fxt_value* values);

/* Nonzero while a session records this program. */
static inline int fxt_provider_enabled(void) {
  return (__atomic_load_n(fxt_provider_state, __ATOMIC_RELAXED) & ~UINT32_C(1)) != 0;
}

/* Nonzero while a session records the site's category. */
static inline int fxt_site_enabled(struct fxt_site* site) {
  const uint32_t state = __atomic_load_n(fxt_provider_state, __ATOMIC_RELAXED);
  if (__builtin_expect(state == 0, 1)) return 0;
  const uint32_t seen = __atomic_load_n(&site->seen, __ATOMIC_ACQUIRE);
  if (seen == (state | 1)) return 1;
  if (seen == state) return 0;
  return fxt_provider_look(site);
}

/* Returns a number that is unique in this process: an id for async events and flows. */
FXT_PROVIDER_API uint64_t fxt_provider_nonce(void);

/* Makes a site that lasts as long as the process, for bindings of other languages. Copies the
 * texts. Null if memory is short or there are more than FXT_MAX_ARGUMENTS keys. */
FXT_PROVIDER_API struct fxt_site* fxt_site_make(const char* category, const char* name,
                                                const char* const* keys, uint32_t key_count);
/* Writes a record if the site's category is recorded. */
FXT_PROVIDER_API void fxt_site_write(struct fxt_site* site, uint32_t type, uint64_t payload,
                                     const struct fxt_value* values);
FXT_PROVIDER_API int fxt_site_is_enabled(struct fxt_site* site);

/* Waits at most `milliseconds` for the recorder's answer. Returns nonzero if this program is
 * registered. Only programs that end at once need it. */
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
