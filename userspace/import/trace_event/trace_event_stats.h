// SPDX-License-Identifier: BSD-2-Clause
// What became of a JSON file.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace importer {

struct TraceEventStats {
  std::array<uint64_t, 128> phases{};  // events by their phase
  uint64_t events = 0;                 // all of them
  uint64_t samples = 0;
  uint64_t stack_frames = 0;
  uint64_t switches = 0;
  uint64_t wakeups = 0;
  uint64_t marks = 0;  // of programs, in the text of ftrace

  // Left out. Elements that cannot be read; the first, by its byte.
  uint64_t broken = 0;
  uint64_t first_broken = 0;
  uint64_t without_time = 0;
  uint64_t unknown_phases = 0;
  uint64_t lone_ends = 0;  // of durations, async operations and flows that have no begin
  uint64_t refused = 0;    // did not fit the format
  // Fields of events, properties of the file, and events of the system text, by name.
  std::map<std::string, uint64_t> fields;
  std::map<std::string, uint64_t> properties;
  std::map<std::string, uint64_t> system_events;

  // Changed.
  uint64_t without_duration = 0;  // complete events, which last no time now
  uint64_t cut_texts = 0;
  uint64_t lone_steps = 0;   // instants of async operations that have no begin: of the thread now
  uint64_t lost_frames = 0;  // frames for which there was no room
  uint64_t other_tasks = 0;  // mentions of threads beyond the limit
  int64_t moved = 0;         // ns added to all times, since some were negative

  bool cut = false;         // the text ends inside an event
  bool open_ended = false;  // the array has no end
  uint64_t spilled_bytes = 0;
  uint64_t spilled_runs = 0;
};

// Of more than a hundred different names the rest is "(others)".
inline void CountName(std::map<std::string, uint64_t>& counts, std::string_view name) {
  constexpr size_t kMost = 100;
  std::string key(name.substr(0, 64));
  if (counts.size() >= kMost && !counts.contains(key)) key = "(others)";
  ++counts[key];
}

}  // namespace importer
