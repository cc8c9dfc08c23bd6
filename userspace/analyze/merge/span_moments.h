// SPDX-License-Identifier: BSD-2-Clause
// What a SpanAlignment is fed with, from traces.
#pragma once

#include <cstdint>

#include "analyze/merge/koid_space.h"
#include "analyze/merge/span_alignment.h"
#include "fxt/byte_source.h"

namespace analyze {

// The runs of the threads of a trace, whose times are to be moved by `offset` ns.
void AddRuns(fxt::ByteSource& source, int64_t offset, const KoidMap& koids, SpanAlignment& spans);
// When its threads did something: begins and ends of durations, and instants.
void AddMoments(fxt::ByteSource& source, int64_t offset, const KoidMap& koids,
                SpanAlignment& spans);

}  // namespace analyze
