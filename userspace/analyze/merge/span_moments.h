// SPDX-License-Identifier: BSD-2-Clause
// Feeds a SpanAlignment from traces.
#pragma once

#include <cstdint>

#include "analyze/merge/koid_space.h"
#include "analyze/merge/span_alignment.h"
#include "fxt/byte_source.h"

namespace analyze {

// Adds the runs of the threads of a trace, moved by `offset` ns.
void AddRuns(fxt::ByteSource& source, int64_t offset, const KoidMap& koids, SpanAlignment& spans);
// Adds the moments at which its threads acted: begins and ends of durations, and instants.
void AddMoments(fxt::ByteSource& source, int64_t offset, const KoidMap& koids,
                SpanAlignment& spans);

}  // namespace analyze
