// SPDX-License-Identifier: BSD-2-Clause
#include "import/trace_event/trace_event_stats.h"

#include <fmt/format.h>

#include "util/quantity.h"

namespace importer {
namespace {

using util::FormatCount;

std::string Counts(const std::map<std::string, uint64_t>& counts) {
  std::string text;
  for (const auto& [what, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", FormatCount(count), what);
  }
  return text;
}

}  // namespace

std::string StatsText(const TraceEventStats& stats) {
  std::string phases;
  for (size_t phase = 0; phase < stats.phases.size(); ++phase) {
    if (stats.phases[phase] == 0) continue;
    const std::string name = phase > ' ' && phase < 0x7f ? std::string(1, static_cast<char>(phase))
                                                         : std::string("without a phase");
    phases +=
        fmt::format("{}{} {}", phases.empty() ? "" : ", ", FormatCount(stats.phases[phase]), name);
  }
  std::string text = fmt::format("{} events", FormatCount(stats.events));
  if (!phases.empty()) text += fmt::format(" ({})", phases);
  const auto add = [&](uint64_t count, const char* what) {
    if (count != 0) text += fmt::format(", {} {}", FormatCount(count), what);
  };
  add(stats.samples, "samples");
  add(stats.stack_frames, "stack frames");
  add(stats.switches, "switches");
  add(stats.wakeups, "wakeups");
  add(stats.marks, "marks of programs");
  return text;
}

std::vector<std::string> Notes(const TraceEventStats& stats) {
  std::vector<std::string> notes;
  const auto add = [&](uint64_t count, std::string_view what) {
    if (count != 0) notes.push_back(fmt::format("{} {}", FormatCount(count), what));
  };
  if (stats.cut) notes.emplace_back("cut short; read up to its last complete event");
  if (stats.broken != 0) {
    notes.push_back(fmt::format("{} events are malformed; the first, at byte {}",
                                FormatCount(stats.broken), stats.first_broken));
  }
  add(stats.without_time, "events without a time were dropped");
  add(stats.unknown_phases, "events of unknown phases were dropped");
  add(stats.lone_ends,
      "ends and steps of durations, async operations and flows without a begin were dropped");
  add(stats.lone_steps,
      "steps of async operations without a begin became instants of their threads");
  add(stats.overlapping, "complete events overlap others of their thread and became async spans");
  add(stats.without_duration, "complete events have no duration, which became 0");
  add(stats.refused, "records did not fit the format");
  add(stats.cut_texts, "texts were too long for a record and were cut");
  add(stats.lost_metadata, "metadata events beyond the limits were dropped");
  add(stats.lost_frames, "stack frames beyond the limit were dropped");
  add(stats.other_tasks, "events of threads beyond the limit belong to \"(others)\"");
  if (stats.moved != 0) {
    notes.push_back(fmt::format("times were negative and were moved by {}",
                                util::FormatDuration(static_cast<uint64_t>(stats.moved))));
  }
  const auto list = [&](const char* what, const std::map<std::string, uint64_t>& counts) {
    if (!counts.empty()) notes.push_back(fmt::format("{}: {}", what, Counts(counts)));
  };
  list("dropped fields of events", stats.fields);
  list("dropped properties", stats.properties);
  list("dropped system events without a counterpart", stats.system_events);
  return notes;
}

}  // namespace importer
