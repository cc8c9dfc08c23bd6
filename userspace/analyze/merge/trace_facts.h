// SPDX-License-Identifier: BSD-2-Clause
// Collects what merging needs to know of a trace.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "fxt/byte_source.h"
#include "fxt/format.h"

namespace analyze {

enum class TraceClock : uint8_t { kUnknown, kBoottime, kMonotonic, kRealtime };

// "boottime", "monotonic" or "realtime", also "CLOCK_BOOTTIME" and so on.
std::optional<TraceClock> ClockNamed(std::string_view name);
std::string_view NameOf(TraceClock clock);

struct TraceFacts {
  static constexpr size_t kMaxTasks = size_t{1} << 20;

  // A clock sync marker.
  struct Mark {
    int64_t time = 0;   // ns
    int64_t error = 0;  // error in ns, either way: half the time it took to set it
  };

  std::optional<uint64_t> first;      // ns
  uint64_t last = 0;                  // ns
  std::map<std::string, Mark> marks;  // by sync id
  TraceClock clock = TraceClock::kUnknown;
  // The machine's clocks minus CLOCK_BOOTTIME, in ns, as recorded by fxt-record.
  std::optional<int64_t> realtime_ahead;
  std::optional<int64_t> monotonic_ahead;
  // Wall clock (ns) at time 0 of the trace.
  std::optional<int64_t> zero_realtime;
  int64_t moved = 0;  // ns that `fxt import` added to its times, because some were negative
  std::string host;
  bool has_switches = false;
  uint32_t cpus = 0;                       // the highest one, plus 1
  std::map<fxt::Koid, fxt::Koid> threads;  // process by thread
  std::set<fxt::Koid> processes;
  bool truncated = false;
  std::string unreadable;  // why reading ended early
};

TraceFacts ReadFacts(fxt::ByteSource& source);

}  // namespace analyze
