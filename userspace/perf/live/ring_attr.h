// SPDX-License-Identifier: BSD-2-Clause
// What every event has in common whose records come through a ring.
#pragma once

#include <cstddef>

#include "perf/record/perf_abi.h"

namespace perf {

// Without a type, and without what its samples carry. Created disabled; times are CLOCK_MONOTONIC,
// the only clock besides CLOCK_MONOTONIC_RAW that the kernel can read in the NMI of a hardware
// event; all records have the trailer of samples; the reader wakes when a quarter of the ring of
// `ring_bytes` is full.
perf_event_attr MakeRingAttr(size_t ring_bytes);

// Tells of mappings too, and of where those of another program begin that a process executes.
void AddMappings(perf_event_attr* attr);

}  // namespace perf
