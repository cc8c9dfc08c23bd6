// SPDX-License-Identifier: BSD-2-Clause
// What can be saved of a damaged trace.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "fxt/byte_sink.h"
#include "fxt/byte_source.h"

namespace analyze {

struct RecoverResult {
  uint64_t records = 0;  // saved, definitions not counted
  uint64_t skipped_bytes = 0;
  uint64_t gaps = 0;
  uint64_t lost_references = 0;  // to strings and threads whose definition is gone
  bool truncated = false;
  std::string unreadable;  // why nothing could be read at all, or not to the end
  bool sink_failed = false;
};

// Copies every record that can be believed. Each gap is declared as a loss where it is: a provider
// event, an instant "lost_events" of category "damage" with the bytes passed over, and a counter.
// `on_progress` is called at times with the position in the input.
RecoverResult RecoverTrace(fxt::ByteSource& source, fxt::ByteSink& sink,
                           const std::function<void(uint64_t)>& on_progress);

}  // namespace analyze
