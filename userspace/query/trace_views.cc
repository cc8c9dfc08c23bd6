// SPDX-License-Identifier: BSD-2-Clause
#include "query/trace_views.h"

namespace query {
namespace {

// The length of the longest interval bounds the begin on both sides, so that the rows of a thread
// are found by their begin.
constexpr TraceView kViews[] = {
    {"span_states", R"(
SELECT s.ts, s.dur, s.category, s.name, s.tid, s.pid, s.thread, s.process, s.koid, s.id,
       'running' AS state, NULL AS waits_for, NULL AS object, NULL AS waker_tid, NULL AS waker,
       max(r.ts, s.ts) AS state_ts, min(r.ts + r.length, s.ts + s.dur) - max(r.ts, s.ts) AS state_ns
FROM spans s JOIN slices r ON r.koid = s.koid AND r.ts < s.ts + s.dur
     AND r.ts >= s.ts - (SELECT max(length) FROM slices)
WHERE r.ts + r.length > s.ts
UNION ALL
SELECT s.ts, s.dur, s.category, s.name, s.tid, s.pid, s.thread, s.process, s.koid, s.id,
       w.kind, w.waits_for, w.object, w.waker_tid, w.waker,
       max(w.ts, s.ts), min(w.ts + w.length, s.ts + s.dur) - max(w.ts, s.ts)
FROM spans s JOIN waits w ON w.koid = s.koid AND w.ts < s.ts + s.dur
     AND w.ts >= s.ts - (SELECT max(length) FROM waits)
WHERE w.ts + w.length > s.ts)"},
    {"waker_spans", R"(
SELECT u.ts, u.cpu, u.tid, u.pid, u.thread, u.process, u.waker_tid, u.waker, u.via,
       s.ts AS span_ts, s.dur AS span_dur, s.category AS span_category, s.name AS span_name, s.id AS span_id
FROM wakeups u JOIN spans s ON s.tid = u.waker_tid AND s.ts <= u.ts
     AND s.ts >= u.ts - (SELECT max(dur) FROM spans)
WHERE s.ts + s.dur >= u.ts)"},
};

}  // namespace

std::span<const TraceView> TraceViews() { return kViews; }

}  // namespace query
