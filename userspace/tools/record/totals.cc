// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/totals.h"

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

uint64_t Totals::lost_events() const {
  uint64_t total = 0;
  for (const auto& [where, count] : lost) total += count;
  return total;
}

double Totals::bytes_per_switch() const {
  if (translation.switches == 0) return 0;
  return static_cast<double>(translation.switch_bytes) / static_cast<double>(translation.switches);
}

void PrintLosses(const Totals& totals, Console& console) {
  if (totals.lost_events() == 0) return;
  console.Note(fmt::format("LOST {} events (the file says where):",
                           util::FormatCount(totals.lost_events())));
  for (const auto& [where, count] : totals.lost) {
    console.Note(fmt::format("  {:>12} {} on {}", util::FormatCount(count),
                             schema::CategoryName(where.second), CpuName(where.first)));
  }
  console.Note(fmt::format("  larger rings lose less: --buffer-size, now {} per CPU",
                           util::FormatSize(totals.ring_bytes)));
}

void PrintTotals(const Totals& totals, Console& console) {
  const translate::TranslationStats& stats = totals.translation;
  std::vector<std::string> counts;
  for (uint32_t category = 0; category < FXR_CATEGORY_COUNTS; ++category) {
    if (stats.recorded[category] == 0) continue;
    counts.push_back(fmt::format("{} {}", util::FormatCount(stats.recorded[category]),
                                 schema::CategoryName(category)));
  }
  console.Note(fmt::format("recorded {} in {}",
                           counts.empty() ? "no events" : fmt::to_string(fmt::join(counts, ", ")),
                           util::FormatDuration(totals.duration)));
  if (stats.switches > 0) {
    console.Note(fmt::format("{} switches at {:.1f} bytes each, {} wakeups, {} migrations",
                             util::FormatCount(stats.switches), totals.bytes_per_switch(),
                             util::FormatCount(stats.wakeups),
                             util::FormatCount(stats.migrations)));
  }
  if (stats.unseen_switches > 0) {
    console.Note(fmt::format("{} switches were not shown by the kernel (marked in the file)",
                             util::FormatCount(stats.unseen_switches)));
  }
  if (totals.output_failed) {
    console.Note(fmt::format("the output took {} of {} of records: what came later is missing",
                             util::FormatSize(totals.output_bytes),
                             util::FormatSize(totals.record_bytes)));
  }
  if (totals.lost_events() == 0 && !totals.output_failed) {
    console.Note(fmt::format("lost nothing; the fullest ring was {}% full",
                             totals.capture.fullest_ring_percent));
  } else {
    PrintLosses(totals, console);
  }
  console.Note(
      fmt::format("the recorder took {} of CPU time and {} of memory; {} rings and other maps "
                  "in the kernel {}",
                  util::FormatDuration(totals.cpu_time), util::FormatSize(totals.peak_memory),
                  totals.rings, util::FormatSize(totals.kernel_memory)));
  if (totals.output == "-") {
    console.Note(fmt::format("wrote {}", util::FormatSize(totals.file_bytes)));
  } else {
    console.Note(fmt::format("wrote {} ({}); open it at https://ui.perfetto.dev", totals.output,
                             util::FormatSize(totals.file_bytes)));
  }
}

std::string TotalsJson(const Totals& totals) {
  const translate::TranslationStats& stats = totals.translation;
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
  json["raw_events"] = raw + totals.lost_events();
  json["records"] = recorded;
  json["suppressed"] = {{"wakeups_of_running", stats.wakeups_of_running},
                        {"unmatched_ends", stats.unmatched_ends},
                        {"identity_only", stats.identity_only},
                        {"unreadable", stats.unreadable}};
  json["dropped"] = nlohmann::ordered_json::object();
  for (const auto& [where, count] : totals.lost) {
    json["dropped"][std::to_string(where.first)][std::string(schema::CategoryName(where.second))] =
        count;
  }
  json["lost_events"] = totals.lost_events();
  json["kernel"] = {{"slots_consumed", totals.capture.slots_consumed},
                    {"loss_slots", totals.translation.loss_slots},
                    {"side_events_consumed", totals.capture.side_events_consumed},
                    {"side_events_emitted", totals.capture.side_events_emitted},
                    {"recursion_misses", totals.capture.recursion_misses}};
  for (uint32_t category = 0; category < FXR_CATEGORIES; ++category) {
    if (totals.capture.dropped[category] == 0) continue;
    json["kernel"]["dropped"][std::string(schema::CategoryName(category))] =
        totals.capture.dropped[category];
  }
  json["switches"] = stats.switches;
  json["wakeups"] = stats.wakeups;
  json["wakeup_bytes"] = stats.wakeup_bytes;
  json["migrations"] = stats.migrations;
  json["gap_switches"] = stats.gap_switches;
  json["unseen_switches"] = stats.unseen_switches;
  json["late_events"] = stats.late;
  json["refused_records"] = totals.refused_records;
  json["bytes_per_switch"] = totals.bytes_per_switch();
  json["output"] = totals.output;
  json["file_bytes"] = totals.file_bytes;
  json["record_bytes"] = totals.record_bytes;
  json["start_bytes"] = totals.start_bytes;
  json["output_failed"] = totals.output_failed;
  json["output_bytes"] = totals.output_bytes;
  json["duration_ns"] = totals.duration;
  json["cpu_time_ns"] = totals.cpu_time;
  json["peak_memory_bytes"] = totals.peak_memory;
  json["rings"] = totals.rings;
  json["ring_bytes"] = totals.ring_bytes;
  json["side_ring_bytes"] = totals.side_ring_bytes;
  json["kernel_memory_bytes"] = totals.kernel_memory;
  json["fullest_ring_percent"] = totals.capture.fullest_ring_percent;
  json["drains"] = totals.capture.drains;
  json["stalls"] = totals.capture.stalls;
  json["realtime"] = totals.realtime;
  json["thread_tables"] = totals.thread_tables;
  json["threads_alive"] = totals.threads_alive;
  // A path may be no UTF-8, and this may go to a terminal.
  return json.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace tools
