/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace points, in the style of Fuchsia's trace/event.h. C11 and C++17, gcc and clang.
 *
 *   void Serve(const struct request* request) {
 *     TRACE_DURATION("server", "request", "path", request->path, "bytes", request->size);
 *     ...
 *     TRACE_COUNTER("server", "queue", 0, "length", queue_length);
 *   }
 *
 * Categories, names and keys are literals. A category has at most 100 bytes. At most 15 pairs of
 * key and value follow. A value is a number, a bool, a pointer or a string (in C++ also a
 * std::string, a std::string_view or an enumeration); the TA_ macros below state the type.
 * Arguments are evaluated only while the category is recorded.
 *
 * See docs/providers.md. */
#ifndef FXT_PROVIDER_EVENT_H_
#define FXT_PROVIDER_EVENT_H_

#include "fxt_provider/arguments.h"
#include "fxt_provider/provider.h"

/* Values of an explicit type. */
#define TA_NULL() fxt_null_value()
#define TA_BOOL(value) fxt_bool_value(value)
#define TA_INT32(value) fxt_int32_value(value)
#define TA_UINT32(value) fxt_uint32_value(value)
#define TA_INT64(value) fxt_int64_value(value)
#define TA_UINT64(value) fxt_uint64_value(value)
#define TA_DOUBLE(value) fxt_double_value(value)
#define TA_STRING(value) fxt_string_value(value)
#define TA_STRING_LITERAL(value) fxt_string_value(value)
#define TA_CHAR_ARRAY(value, size) fxt_chars_value((value), (size))
#define TA_POINTER(value) fxt_pointer_value(value)
#define TA_KOID(value) fxt_koid_value(value)
#define TA_BLOB(value, size) fxt_blob_value((value), (size))

/* Scope of an instant. FXT has no field for it: viewers show all instants on the thread. */
typedef enum {
  TRACE_SCOPE_THREAD = 0,
  TRACE_SCOPE_PROCESS = 1,
  TRACE_SCOPE_GLOBAL = 2,
} trace_scope_t;

/* The type of TRACE_BLOB; the recorder drops other types. */
#define TRACE_BLOB_TYPE_DATA 1

/* A number unique in this process, for ids of async events and flows. */
#define TRACE_NONCE() fxt_provider_nonce()

/* True while this program is recorded; while this category is. */
#define TRACE_ENABLED() (fxt_provider_enabled() != 0)
#define TRACE_CATEGORY_ENABLED(category)                                \
  (__extension__({                                                      \
    static struct fxt_site fxt_site_ = FXT_SITE(category, "", NULL, 0); \
    fxt_site_enabled(&fxt_site_) != 0;                                  \
  }))

/* An instant event. ... : the scope, and arguments. */
#define TRACE_INSTANT(category, name, ...) FXT_TRACE_(FXT_INSTANT, 0, category, name, __VA_ARGS__)

/* Samples of a counter: at least one numeric argument. The id distinguishes counters of one name.
 */
#define TRACE_COUNTER(category, name, counter_id, ...) \
  FXT_TRACE_(FXT_COUNTER, counter_id, category, name, 0, __VA_ARGS__)

/* A duration that ends with the enclosing block. ... : the name, and arguments. */
#define TRACE_DURATION(category, ...) FXT_SCOPE_(__COUNTER__, category, __VA_ARGS__)

/* The begin and the end of a duration, on one thread. Durations of a thread nest. ... : the name,
 * and arguments. */
#define TRACE_DURATION_BEGIN(category, ...) \
  FXT_TRACE_(FXT_DURATION_BEGIN, 0, category, FXT_HEAD_(__VA_ARGS__), __VA_ARGS__)
#define TRACE_DURATION_END(category, ...) \
  FXT_TRACE_(FXT_DURATION_END, 0, category, FXT_HEAD_(__VA_ARGS__), __VA_ARGS__)

/* An async span, which may end on another thread. ... : the id, which the events of one span share,
 * and arguments. Ids are private to the process. */
#define TRACE_ASYNC_BEGIN(category, name, ...) \
  FXT_TRACE_(FXT_ASYNC_BEGIN, FXT_HEAD_(__VA_ARGS__), category, name, __VA_ARGS__)
#define TRACE_ASYNC_INSTANT(category, name, ...) \
  FXT_TRACE_(FXT_ASYNC_INSTANT, FXT_HEAD_(__VA_ARGS__), category, name, __VA_ARGS__)
#define TRACE_ASYNC_END(category, name, ...) \
  FXT_TRACE_(FXT_ASYNC_END, FXT_HEAD_(__VA_ARGS__), category, name, __VA_ARGS__)

/* A flow from one duration to another, across threads and processes. ... : the id, and arguments.
 */
#define TRACE_FLOW_BEGIN(category, name, ...) \
  FXT_TRACE_(FXT_FLOW_BEGIN, FXT_HEAD_(__VA_ARGS__), category, name, __VA_ARGS__)
#define TRACE_FLOW_STEP(category, name, ...) \
  FXT_TRACE_(FXT_FLOW_STEP, FXT_HEAD_(__VA_ARGS__), category, name, __VA_ARGS__)
#define TRACE_FLOW_END(category, name, ...) \
  FXT_TRACE_(FXT_FLOW_END, FXT_HEAD_(__VA_ARGS__), category, name, __VA_ARGS__)

/* A blob record; `type` is one of TRACE_BLOB_TYPE_. Bytes beyond 12 KiB go into further records of
 * the same name, in order. */
#define TRACE_BLOB(type, name, blob, blob_size)                               \
  do {                                                                        \
    static struct fxt_site fxt_site_ = FXT_SITE("", name, NULL, 0);           \
    if (fxt_site_enabled(&fxt_site_)) {                                       \
      const struct fxt_value fxt_blob_ = fxt_blob_value((blob), (blob_size)); \
      fxt_provider_write(&fxt_site_, FXT_BLOB_RECORD, (type), &fxt_blob_);    \
    }                                                                         \
  } while (0)

/* An instant that is also an alert of the session: its name, of at most 14 bytes, fires triggers.
 */
#define TRACE_ALERT(category, ...) \
  FXT_TRACE_(FXT_ALERT, 0, category, FXT_HEAD_(__VA_ARGS__), __VA_ARGS__)

/* Implementation of the macros above. */
#define FXT_TRACE_(type, payload, category, name, ...)                                    \
  do {                                                                                    \
    static const char* const fxt_keys_[] = {FXT_KEYS_(__VA_ARGS__) NULL};                 \
    static struct fxt_site fxt_site_ =                                                    \
        FXT_SITE(category, name, fxt_keys_, FXT_COUNT_(__VA_ARGS__));                     \
    if (fxt_site_enabled(&fxt_site_)) FXT_WRITE_(&fxt_site_, type, payload, __VA_ARGS__); \
  } while (0)

struct fxt_scope {
  struct fxt_site* site; /* null: no begin was written */
};
static inline void fxt_scope_leave(const struct fxt_scope* scope) {
  if (scope->site != NULL && fxt_site_enabled(scope->site)) {
    fxt_provider_write(scope->site, FXT_DURATION_END, 0, NULL);
  }
}
#define FXT_SCOPE_(number, ...) FXT_SCOPE_OF_(number, __VA_ARGS__)
#define FXT_SCOPE_OF_(number, category, ...)                                                      \
  static const char* const fxt_keys_##number[] = {FXT_KEYS_(__VA_ARGS__) NULL};                   \
  static struct fxt_site fxt_site_##number =                                                      \
      FXT_SITE(category, FXT_HEAD_(__VA_ARGS__), fxt_keys_##number, FXT_COUNT_(__VA_ARGS__));     \
  const struct fxt_scope fxt_scope_##number __attribute__((unused, cleanup(fxt_scope_leave))) = { \
      fxt_site_enabled(&fxt_site_##number)                                                        \
          ? (FXT_WRITE_(&fxt_site_##number, FXT_DURATION_BEGIN, 0, __VA_ARGS__),                  \
             &fxt_site_##number)                                                                  \
          : NULL}

#endif
