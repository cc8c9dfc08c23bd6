/* SPDX-License-Identifier: BSD-2-Clause */
/* A provider in C. */
#include <fxt_provider/event.h>
#include <stdio.h>

const char fxt_provider_name[] = "another-program";

static int work(int n) {
  TRACE_DURATION("app", "work", "n", n, "half", n / 2.0);
  TRACE_INSTANT("app", "instant", TRACE_SCOPE_PROCESS);
  TRACE_INSTANT("app", "values", TRACE_SCOPE_THREAD, "text", "t", "null", TA_NULL(), "p", (void*)&n,
                "b", TA_BOOL(1), "c", TA_CHAR_ARRAY("abc", 2), "u", 7ull);
  TRACE_COUNTER("app", "counter", 0, "n", n);
  TRACE_DURATION_BEGIN("app", "begin", "k", "v");
  TRACE_DURATION_END("app", "begin");
  const uint64_t id = TRACE_NONCE();
  TRACE_ASYNC_BEGIN("app", "async", id);
  TRACE_ASYNC_INSTANT("app", "async", id, "n", n);
  TRACE_ASYNC_END("app", "async", id);
  TRACE_FLOW_BEGIN("app", "flow", id);
  TRACE_FLOW_STEP("app", "flow", id);
  TRACE_FLOW_END("app", "flow", id);
  TRACE_BLOB(TRACE_BLOB_TYPE_DATA, "blob", &n, sizeof n);
  TRACE_ALERT("app", "alert");
  return TRACE_CATEGORY_ENABLED("app") || TRACE_ENABLED();
}

int main(void) {
  if (work(3)) return 1;
  puts("another program");
  return 0;
}
