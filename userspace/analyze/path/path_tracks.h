// SPDX-License-Identifier: BSD-2-Clause
// Writes requests and the parts of their critical paths as tracks of a trace.
#pragma once

#include <cstdint>

#include "analyze/path/path_set.h"
#include "fxt/byte_sink.h"

namespace analyze {

// Appends a section of provider `provider`, which the trace does not have yet, to a trace in
// `sink`. The process "critical path" has a thread for each request that goes on at one time; a
// request is a span, its parts are spans in it. False if the sink failed.
bool WritePathTracks(fxt::ByteSink& sink, const PathSet& set, uint32_t provider);

}  // namespace analyze
