// SPDX-License-Identifier: BSD-2-Clause
// One page of per_cpu/cpuN/trace_pipe_raw (kernel/trace/ring_buffer.c; events/header_page and
// events/header_event describe it).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "capture/ftrace/tracefs/event_format.h"
#include "util/result.h"

namespace truth {

// The layout of a page, from events/header_page.
struct PageLayout {
  FormatField timestamp;
  FormatField commit;
  FormatField data;

  size_t page_bytes() const { return data.offset + data.size; }
  // `text` is the content of events/header_page.
  static util::Result<PageLayout> Parse(std::string_view text);
};

// The losses before this page.
struct PageLoss {
  bool missed = false;  // events were lost
  uint64_t known = 0;   // their number; 0 with `missed`: unknown
};

// Calls `visit` with the time (ns of the trace clock) and the payload of each event in order.
// Returns an error for an inconsistent page.
using EventVisitor = std::function<void(uint64_t time_ns, std::span<const std::byte> payload)>;
util::Result<PageLoss> VisitPage(const PageLayout& layout, std::span<const std::byte> page,
                                 const EventVisitor& visit);

}  // namespace truth
