// SPDX-License-Identifier: BSD-2-Clause
// Writes the valid part of a damaged trace.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "fxt/byte_sink.h"
#include "fxt/byte_source.h"

namespace analyze {

struct RecoverResult {
  uint64_t records = 0;  // written, definitions not counted
  uint64_t skipped_bytes = 0;
  uint64_t gaps = 0;
  uint64_t lost_references = 0;  // to strings and threads whose definition is lost
  bool truncated = false;
  std::string unreadable;  // why reading failed or ended early
  bool sink_failed = false;
};

// Copies every valid record. Declares each gap as a loss at its place: a provider event, an instant
// "lost_events" of category "damage" with the number of skipped bytes, and a counter. Calls
// `on_progress` regularly with the position in the input.
RecoverResult RecoverTrace(fxt::ByteSource& source, fxt::ByteSink& sink,
                           const std::function<void(uint64_t)>& on_progress);

}  // namespace analyze
