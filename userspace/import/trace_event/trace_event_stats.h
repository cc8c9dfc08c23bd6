// SPDX-License-Identifier: BSD-2-Clause
// Counts what was imported, changed and dropped.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace importer {

struct TraceEventStats {
  std::array<uint64_t, 128> phases{};  // events by phase
  uint64_t events = 0;                 // all of them
  uint64_t samples = 0;
  uint64_t stack_frames = 0;
  uint64_t switches = 0;
  uint64_t wakeups = 0;
  uint64_t marks = 0;  // of trace_marker, in the text of ftrace

  // Dropped input. Malformed elements, and the byte offset of the first one.
  uint64_t broken = 0;
  uint64_t first_broken = 0;
  uint64_t without_time = 0;
  uint64_t unknown_phases = 0;
  uint64_t lone_ends = 0;  // of durations, async operations and flows without a begin
  uint64_t refused = 0;    // too large for the format
  // Fields of events, properties of the file, and system events, by name.
  std::map<std::string, uint64_t> fields;
  std::map<std::string, uint64_t> properties;
  std::map<std::string, uint64_t> system_events;

  // Changed input.
  uint64_t without_duration = 0;  // complete events, which get a duration of 0
  uint64_t cut_texts = 0;
  // Complete events that overlap another one of their thread, which become async spans.
  uint64_t overlapping = 0;
  uint64_t lone_steps =
      0;  // instants of async operations without a begin, which become instants of the thread
  uint64_t lost_metadata = 0;  // metadata events beyond the limits
  uint64_t lost_frames = 0;    // frames beyond the limit
  uint64_t other_tasks = 0;    // mentions of threads beyond the limit
  int64_t moved = 0;           // ns added to all times, because some were negative

  bool cut = false;         // the text ends inside an event
  bool open_ended = false;  // the array has no end
  uint64_t spilled_bytes = 0;
  uint64_t spilled_runs = 0;
};

// Counts a name. Beyond a hundred different names, counts "(others)".
inline void CountName(std::map<std::string, uint64_t>& counts, std::string_view name) {
  constexpr size_t kMost = 100;
  std::string key(name.substr(0, 64));
  if (counts.size() >= kMost && !counts.contains(key)) key = "(others)";
  ++counts[key];
}

// "12 events (8 X, 4 M), 3 switches".
std::string StatsText(const TraceEventStats& stats);
// One line for each kind of dropped or changed input.
std::vector<std::string> Notes(const TraceEventStats& stats);

}  // namespace importer
