// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/merge/clock_alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "util/quantity.h"

namespace analyze {
namespace {

std::string Spread(int64_t ns) {
  const auto size = static_cast<uint64_t>(std::llabs(ns));
  return size < 1000        ? fmt::format("{} ns", size)
         : size < 1'000'000 ? fmt::format("{:.1f} us", static_cast<double>(size) / 1e3)
                            : util::FormatDuration(size);
}

// Aligns `trace` by clock sync markers that it shares with `reference`, an earlier aligned trace.
std::optional<Alignment> ByMarks(const TraceFacts& trace, const TraceFacts& reference,
                                 const Alignment& of_reference) {
  std::vector<int64_t> offsets;
  int64_t error = 0;
  for (const auto& [id, mark] : trace.marks) {
    const auto other = reference.marks.find(id);
    if (other == reference.marks.end()) continue;
    offsets.push_back(other->second.time + of_reference.offset - mark.time);
    error = std::max(error, mark.error + other->second.error);
  }
  if (offsets.empty()) return std::nullopt;
  std::sort(offsets.begin(), offsets.end());
  std::string how =
      fmt::format("{} clock sync marker{}", offsets.size(), offsets.size() == 1 ? "" : "s");
  if (offsets.size() > 1) {
    how += fmt::format(", which differ by {}", Spread(offsets.back() - offsets.front()));
  }
  if (error != 0) how += fmt::format(", set within {}", Spread(error));
  return Alignment{offsets[offsets.size() / 2], true, how};
}

// Nanoseconds to add to a time of the clock for CLOCK_BOOTTIME.
std::optional<int64_t> ToBoottime(TraceClock clock, std::span<const TraceFacts> traces) {
  if (clock == TraceClock::kBoottime) return 0;
  if (clock == TraceClock::kUnknown) return std::nullopt;
  for (const TraceFacts& trace : traces) {
    const auto& ahead =
        clock == TraceClock::kRealtime ? trace.realtime_ahead : trace.monotonic_ahead;
    if (ahead) return -*ahead;
  }
  return std::nullopt;
}

}  // namespace

util::Result<std::vector<Alignment>> AlignClocks(std::span<const TraceFacts> traces,
                                                 std::span<const AlignmentOption> options) {
  std::vector<Alignment> alignments;
  const auto clock_of = [&](size_t i) {
    // Times count from the wall clock's zero, whatever they begin with.
    if (!options[i].clock && traces[i].zero_realtime) return TraceClock::kRealtime;
    return options[i].clock.value_or(traces[i].clock);
  };
  const auto zero_of = [&](size_t i) {
    const std::optional<int64_t> none;
    return (options[i].clock ? none : traces[i].zero_realtime).value_or(-traces[i].moved);
  };
  for (size_t i = 0; i < traces.size(); ++i) {
    if (options[i].offset) {
      // From the times of the trace's own file to those of the first file.
      const int64_t moved = i == 0 ? 0 : traces[0].moved - traces[i].moved;
      alignments.push_back({*options[i].offset + moved, true, "as stated"});
      continue;
    }
    if (i == 0) {
      alignments.push_back(
          {0, true, fmt::format("its clock, {}, is that of the output", NameOf(clock_of(0)))});
      continue;
    }
    std::optional<Alignment> alignment;
    for (size_t other = 0; other < i && !alignment; ++other) {
      alignment = ByMarks(traces[i], traces[other], alignments[other]);
    }
    if (alignment) {
      alignments.push_back(*alignment);
      continue;
    }
    const TraceClock own = clock_of(i);
    const TraceClock reference = clock_of(0);
    const int64_t zero = zero_of(i) - zero_of(0) + alignments[0].offset;
    if (own == reference && own != TraceClock::kUnknown) {
      alignments.push_back({zero, true, fmt::format("both have the clock {}", NameOf(own))});
      continue;
    }
    const auto from = ToBoottime(own, traces);
    const auto to = ToBoottime(reference, traces);
    if (from && to) {
      alignments.push_back({zero + *from - *to, true,
                            fmt::format("from {} to {} as the recording noted the two", NameOf(own),
                                        NameOf(reference))});
      continue;
    }
    if (options[i].clock) {
      return util::Error{fmt::format("no trace says how the clock {} stands to {}", NameOf(own),
                                     NameOf(reference)),
                         "record with this version of fxt-record, or give --offset"};
    }
    alignments.push_back({traces[0].moved - traces[i].moved, false,
                          "nothing says how its clock stands; times are as they were"});
  }
  return alignments;
}

}  // namespace analyze
