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

// Where the parts of a page are, from events/header_page.
struct PageLayout {
  FormatField timestamp;
  FormatField commit;
  FormatField data;

  size_t page_bytes() const { return data.offset + data.size; }
  // `text` is the content of events/header_page.
  static util::Result<PageLayout> Parse(std::string_view text);
};

// What the kernel says of events it could not keep before this page.
struct PageLoss {
  bool missed = false;  // some, of which
  uint64_t known = 0;   // this many are counted; 0 with `missed`: the number is not known
};

// Calls `visit` with the time (ns of the trace clock) and payload of each event, in order. A page
// that contradicts itself is an error.
using EventVisitor = std::function<void(uint64_t time_ns, std::span<const std::byte> payload)>;
util::Result<PageLoss> VisitPage(const PageLayout& layout, std::span<const std::byte> page,
                                 const EventVisitor& visit);

}  // namespace truth
