// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "schema/event_info.h"
#include "util/quantity.h"

namespace tools {
namespace {

std::string CpuName(int32_t cpu) {
  return cpu < 0 ? "no CPU in particular" : fmt::format("CPU {}", cpu);
}

}  // namespace

uint64_t Summary::lost_events() const {
  uint64_t total = 0;
  for (const auto& [where, count] : lost) total += count;
  return total;
}

double Summary::bytes_per_switch() const {
  if (translation.switches == 0) return 0;
  return static_cast<double>(translation.switch_bytes) / static_cast<double>(translation.switches);
}

void PrintLosses(const Summary& summary, Console& console) {
  if (summary.lost_events() == 0) return;
  console.Note(fmt::format("LOST {} events (the file says where):",
                           util::FormatCount(summary.lost_events())));
  for (const auto& [where, count] : summary.lost) {
    console.Note(fmt::format("  {:>12} {} on {}", util::FormatCount(count),
                             schema::CategoryName(where.second), CpuName(where.first)));
  }
  console.Note(fmt::format("  larger rings lose less: --buffer-size, now {} per CPU",
                           util::FormatSize(summary.ring_bytes)));
}

void PrintSummary(const Summary& summary, Console& console) {
  const translate::TranslationStats& stats = summary.translation;
  std::vector<std::string> counts;
  for (uint32_t category = 0; category < FXR_CATEGORY_COUNTS; ++category) {
    if (stats.recorded[category] == 0) continue;
    counts.push_back(fmt::format("{} {}", util::FormatCount(stats.recorded[category]),
                                 schema::CategoryName(category)));
  }
  console.Note(fmt::format("recorded {} in {}",
                           counts.empty() ? "no events" : fmt::to_string(fmt::join(counts, ", ")),
                           util::FormatDuration(summary.duration)));
  if (stats.switches > 0) {
    console.Note(fmt::format("{} switches at {:.1f} bytes each, {} wakeups, {} migrations",
                             util::FormatCount(stats.switches), summary.bytes_per_switch(),
                             util::FormatCount(stats.wakeups),
                             util::FormatCount(stats.migrations)));
  }
  if (stats.unseen_switches > 0) {
    console.Note(fmt::format("{} switches were not shown by the kernel (marked in the file)",
                             util::FormatCount(stats.unseen_switches)));
  }
  if (summary.output_failed) {
    console.Note(fmt::format("the output took {} of {} of records: what came later is missing",
                             util::FormatSize(summary.output_bytes),
                             util::FormatSize(summary.record_bytes)));
  }
  if (summary.lost_events() == 0 && !summary.output_failed) {
    console.Note(fmt::format("lost nothing; the fullest ring was {}% full",
                             summary.capture.fullest_ring_percent));
  } else {
    PrintLosses(summary, console);
  }
  console.Note(
      fmt::format("the recorder took {} of CPU time and {} of memory; {} rings and other maps "
                  "in the kernel {}",
                  util::FormatDuration(summary.cpu_time), util::FormatSize(summary.peak_memory),
                  summary.rings, util::FormatSize(summary.kernel_memory)));
  if (summary.output == "-") {
    console.Note(fmt::format("wrote {}", util::FormatSize(summary.file_bytes)));
  } else {
    console.Note(fmt::format("wrote {} ({}); open it at https://ui.perfetto.dev", summary.output,
                             util::FormatSize(summary.file_bytes)));
  }
}

std::string SummaryJson(const Summary& summary) {
  const translate::TranslationStats& stats = summary.translation;
  nlohmann::ordered_json json;
  uint64_t raw = 0;
  uint64_t recorded = 0;
  for (uint32_t category = 0; category < FXR_CATEGORY_COUNTS; ++category) {
    raw += stats.events[category];
    recorded += stats.recorded[category];
    if (stats.events[category] == 0) continue;
    std::string name(schema::CategoryName(category));
    json["events"][name] = stats.events[category];
    json["records_by_category"][name] = stats.recorded[category];
  }
  json["raw_events"] = raw + summary.lost_events();
  json["records"] = recorded;
  json["suppressed"] = {{"wakeups_of_running", stats.wakeups_of_running},
                        {"unmatched_ends", stats.unmatched_ends},
                        {"identity_only", stats.identity_only},
                        {"unreadable", stats.unreadable}};
  json["dropped"] = nlohmann::ordered_json::object();
  for (const auto& [where, count] : summary.lost) {
    json["dropped"][std::to_string(where.first)][std::string(schema::CategoryName(where.second))] =
        count;
  }
  json["lost_events"] = summary.lost_events();
  json["kernel"] = {{"slots_consumed", summary.capture.slots_consumed},
                    {"loss_slots", summary.translation.loss_slots},
                    {"side_events_consumed", summary.capture.side_events_consumed},
                    {"side_events_emitted", summary.capture.side_events_emitted},
                    {"recursion_misses", summary.capture.recursion_misses}};
  for (uint32_t category = 0; category < FXR_CATEGORIES; ++category) {
    if (summary.capture.dropped[category] == 0) continue;
    json["kernel"]["dropped"][std::string(schema::CategoryName(category))] =
        summary.capture.dropped[category];
  }
  json["switches"] = stats.switches;
  json["wakeups"] = stats.wakeups;
  json["wakeup_bytes"] = stats.wakeup_bytes;
  json["migrations"] = stats.migrations;
  json["gap_switches"] = stats.gap_switches;
  json["unseen_switches"] = stats.unseen_switches;
  json["late_events"] = stats.late;
  json["refused_records"] = summary.refused_records;
  json["bytes_per_switch"] = summary.bytes_per_switch();
  json["output"] = summary.output;
  json["file_bytes"] = summary.file_bytes;
  json["record_bytes"] = summary.record_bytes;
  json["start_bytes"] = summary.start_bytes;
  json["output_failed"] = summary.output_failed;
  json["output_bytes"] = summary.output_bytes;
  json["duration_ns"] = summary.duration;
  json["cpu_time_ns"] = summary.cpu_time;
  json["peak_memory_bytes"] = summary.peak_memory;
  json["rings"] = summary.rings;
  json["ring_bytes"] = summary.ring_bytes;
  json["side_ring_bytes"] = summary.side_ring_bytes;
  json["kernel_memory_bytes"] = summary.kernel_memory;
  json["fullest_ring_percent"] = summary.capture.fullest_ring_percent;
  json["drains"] = summary.capture.drains;
  json["stalls"] = summary.capture.stalls;
  json["realtime"] = summary.realtime;
  json["thread_tables"] = summary.thread_tables;
  json["threads_alive"] = summary.threads_alive;
  // A path may be no UTF-8, and this may go to a terminal.
  return json.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace tools
