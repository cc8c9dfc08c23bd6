/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace points of LTTng-UST. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_events.h"

#include <string.h>

#include "measure.h"

static void body(void) {
  for (int i = 0; i < CALLS; ++i) lttng_ust_tracepoint(bench, two, i, i + 1);
}

int main(int argc, char** argv) {
  const int off = argc > 1 && strcmp(argv[1], "off") == 0;
  measure_clocks();
  if (off) {
    MEASURE("off", lttng_ust_tracepoint(bench, two, i, i + 1));
    return 0;
  }
  MEASURE("instant", lttng_ust_tracepoint(bench, two, i, i + 1));
  MEASURE("string", lttng_ust_tracepoint(bench, text, "sixteen letters!"));
  MEASURE("span", lttng_ust_tracepoint(bench, begin); lttng_ust_tracepoint(bench, end));
  measure_threads("threads", 8, body);
  return 0;
}
