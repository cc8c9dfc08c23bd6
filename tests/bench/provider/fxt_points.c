/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace points of libfxt-provider. */
#include <string.h>

#include "fxt_provider/event.h"
#include "measure.h"

static void body(void) {
  for (int i = 0; i < CALLS; ++i)
    TRACE_INSTANT("bench", "two", TRACE_SCOPE_THREAD, "a", i, "b", i + 1);
}

int main(int argc, char** argv) {
  const int off = argc > 1 && strcmp(argv[1], "off") == 0;
  if (!off && !fxt_provider_wait(5000)) return 1;
  measure_clocks();
  if (off) {
    MEASURE("off", TRACE_INSTANT("bench", "two", TRACE_SCOPE_THREAD, "a", i, "b", i + 1));
    return 0;
  }
  MEASURE("instant", TRACE_INSTANT("bench", "two", TRACE_SCOPE_THREAD, "a", i, "b", i + 1));
  MEASURE("string", TRACE_INSTANT("bench", "text", TRACE_SCOPE_THREAD, "a", "sixteen letters!"));
  MEASURE("span", TRACE_DURATION("bench", "span"));
  MEASURE("unwanted", TRACE_INSTANT("other", "two", TRACE_SCOPE_THREAD, "a", i, "b", i + 1));
  measure_threads("threads", 8, body);
  return 0;
}
