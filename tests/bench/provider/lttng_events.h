/* SPDX-License-Identifier: BSD-2-Clause */
/* The same trace points for LTTng-UST, which reads this file several times. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_events.h"

#if !defined(LTTNG_EVENTS_H_) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define LTTNG_EVENTS_H_

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(bench, two, LTTNG_UST_TP_ARGS(int, a, int, b),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, a, a)
                                                   lttng_ust_field_integer(int, b, b)))
LTTNG_UST_TRACEPOINT_EVENT(bench, text, LTTNG_UST_TP_ARGS(const char*, a),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_string(a, a)))
LTTNG_UST_TRACEPOINT_EVENT(bench, begin, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())
LTTNG_UST_TRACEPOINT_EVENT(bench, end, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())

#endif

#include <lttng/tracepoint-event.h>
