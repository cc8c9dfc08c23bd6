// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/totals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <vector>

#include "schema/event_info.h"
#include "schema/stack_end.h"
#include "text/clean_text.h"
#include "text/json_writer.h"
#include "util/quantity.h"

namespace tools {
namespace {

std::string CpuName(int32_t cpu) { return cpu < 0 ? "an unknown CPU" : fmt::format("CPU {}", cpu); }

// Says how many user stacks are complete, and what the unwind tables took.
void PrintStacks(const Totals& totals, Console& console) {
  const auto& ends = totals.file.translation.stack_ends;
  constexpr size_t kShown = 8;
  if (ends.early() != 0) {
    console.Note(fmt::format("{} of {} user stacks end early: {}", util::FormatCount(ends.early()),
                             util::FormatCount(ends.all()),
                             text::CleanText(ends.DescribeReasons(kShown))));
  } else if (ends.all() != 0) {
    console.Note(fmt::format("all {} user stacks are complete", util::FormatCount(ends.all())));
  }
  if (const uint64_t sleeps = totals.capture.unended_sleeps; sleeps != 0) {
    console.Note(fmt::format("{} sleeps have no stack: the kernel did not report their end",
                             util::FormatCount(sleeps)));
  }
  if (!totals.unwind) return;
  const capture::UnwindStats& unwind = *totals.unwind;
  console.Note(fmt::format("unwind tables of {} files took {} (at most {})",
                           util::FormatCount(unwind.tables), util::FormatSize(unwind.table_bytes),
                           util::FormatSize(unwind.max_table_bytes)));
  if (unwind.unloaded != 0 || unwind.no_room != 0) {
    console.Note(fmt::format("  {} were unloaded, and {} had no room",
                             util::FormatCount(unwind.unloaded),
                             util::FormatCount(unwind.no_room)));
  }
  if (unwind.crashes != 0) {
    console.Note(fmt::format("  {} files have no table: their parser crashed or took too long",
                             util::FormatCount(unwind.crashes)));
  }
  if (unwind.unknown_pythons != 0) {
    console.Note(fmt::format("  {} have an interpreter of Python whose frames are not known",
                             util::FormatCount(unwind.unknown_pythons)));
  }
}

}  // namespace

uint64_t Totals::lost_events() const {
  uint64_t total = 0;
  for (const auto& [where, count] : file.lost) total += count;
  return total;
}

double Totals::bytes_per_switch() const {
  if (file.translation.switches == 0) return 0;
  return static_cast<double>(file.translation.switch_bytes) /
         static_cast<double>(file.translation.switches);
}

void PrintLosses(const Totals& totals, Console& console) {
  if (totals.lost_events() == 0) return;
  console.Note(
      fmt::format("LOST {} events (marked in the file):", util::FormatCount(totals.lost_events())));
  for (const auto& [where, count] : totals.file.lost) {
    console.Note(fmt::format("  {:>12} {} on {}", util::FormatCount(count),
                             schema::CategoryName(where.second), CpuName(where.first)));
  }
  console.Note(fmt::format("  larger rings lose less: --buffer-size, now {} per CPU",
                           util::FormatSize(totals.ring_bytes)));
}

void PrintTotals(const Totals& totals, Console& console) {
  const translate::TranslationStats& stats = totals.file.translation;
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
    console.Note(fmt::format("the kernel did not report {} switches (marked in the file)",
                             util::FormatCount(stats.unseen_switches)));
  }
  PrintStacks(totals, console);
  if (stats.unread_arguments > 0) {
    console.Note(fmt::format("{} arguments of probes were unreadable: their memory was not present",
                             util::FormatCount(stats.unread_arguments)));
  }
  if (totals.output_failed) {
    console.Note(fmt::format("the output took {} of {} of records: what came later is missing",
                             util::FormatSize(totals.file.accepted_bytes),
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
  const translate::TranslationStats& stats = totals.file.translation;
  fmt::memory_buffer buffer;
  text::JsonWriter json(buffer, text::JsonStyle::kIndented);
  json.BeginObject();
  uint64_t raw = 0;
  uint64_t recorded = 0;
  for (uint32_t category = 0; category < FXR_CATEGORY_COUNTS; ++category) {
    raw += stats.events[category];
    recorded += stats.recorded[category];
  }
  // Adds the categories with nonzero counts.
  const auto add_categories = [&](std::string_view key, const auto& counts) {
    json.Key(key).BeginObject();
    for (uint32_t category = 0; category < FXR_CATEGORY_COUNTS; ++category) {
      if (stats.events[category] == 0) continue;
      json.Unsigned(schema::CategoryName(category), counts[category]);
    }
    json.EndObject();
  };
  if (raw != 0) {
    add_categories("events", stats.events);
    add_categories("records_by_category", stats.recorded);
  }
  json.Unsigned("raw_events", raw + totals.lost_events());
  json.Unsigned("records", recorded);
  json.Key("suppressed").BeginObject();
  json.Unsigned("wakeups_of_running", stats.wakeups_of_running);
  json.Unsigned("unmatched_ends", stats.unmatched_ends);
  json.Unsigned("no_request", stats.no_request);
  json.Unsigned("identity_only", stats.identity_only);
  json.Unsigned("unreadable", stats.unreadable);
  json.EndObject();
  json.Key("dropped").BeginObject();
  for (auto at = totals.file.lost.begin(); at != totals.file.lost.end();) {
    const int32_t cpu = at->first.first;
    json.Key(std::to_string(cpu)).BeginObject();
    for (; at != totals.file.lost.end() && at->first.first == cpu; ++at) {
      json.Unsigned(schema::CategoryName(at->first.second), at->second);
    }
    json.EndObject();
  }
  json.EndObject();
  json.Unsigned("lost_events", totals.lost_events());
  json.Key("kernel").BeginObject();
  json.Unsigned("slots_consumed", totals.capture.slots_consumed);
  json.Unsigned("loss_slots", stats.loss_slots);
  json.Unsigned("side_events_consumed", totals.capture.side_events_consumed);
  json.Unsigned("side_events_emitted", totals.capture.side_events_emitted);
  json.Unsigned("recursion_misses", totals.capture.recursion_misses);
  json.Unsigned("unended_sleeps", totals.capture.unended_sleeps);
  bool dropped = false;
  for (uint32_t category = 0; category < FXR_CATEGORIES; ++category) {
    if (totals.capture.dropped[category] == 0) continue;
    if (!dropped) json.Key("dropped").BeginObject();
    dropped = true;
    json.Unsigned(schema::CategoryName(category), totals.capture.dropped[category]);
  }
  if (dropped) json.EndObject();
  json.EndObject();
  json.Unsigned("unread_arguments", stats.unread_arguments);
  json.Key("stack_ends").BeginObject();
  for (uint8_t end = 1; end < FXR_STACK_ENDS; ++end) {
    const uint64_t count = stats.stack_ends.of(end);
    if (count != 0) json.Unsigned(schema::kStackEnds[end].name, count);
  }
  json.EndObject();
  if (totals.unwind) {
    json.Key("unwind").BeginObject();
    json.Unsigned("tables", totals.unwind->tables);
    json.Unsigned("table_bytes", totals.unwind->table_bytes);
    json.Unsigned("max_table_bytes", totals.unwind->max_table_bytes);
    json.Unsigned("unloaded", totals.unwind->unloaded);
    json.Unsigned("no_room", totals.unwind->no_room);
    json.Unsigned("processes", totals.unwind->processes);
    json.Unsigned("unknown_pythons", totals.unwind->unknown_pythons);
    json.EndObject();
  }
  json.Unsigned("switches", stats.switches);
  json.Unsigned("wakeups", stats.wakeups);
  json.Unsigned("wakeup_bytes", stats.wakeup_bytes);
  json.Unsigned("migrations", stats.migrations);
  json.Unsigned("gap_switches", stats.gap_switches);
  json.Unsigned("unseen_switches", stats.unseen_switches);
  json.Unsigned("late_events", stats.late);
  json.Unsigned("refused_records", totals.file.refused_records);
  json.Unsigned("providers_refused", totals.providers_refused);
  json.Key("bytes_per_switch").Double(totals.bytes_per_switch());
  json.String("output", totals.output);
  json.Unsigned("file_bytes", totals.file_bytes);
  json.Unsigned("record_bytes", totals.record_bytes);
  json.Unsigned("start_bytes", totals.file.start_bytes);
  json.Bool("output_failed", totals.output_failed);
  json.Unsigned("output_bytes", totals.file.accepted_bytes);
  json.Unsigned("duration_ns", totals.duration);
  json.Unsigned("cpu_time_ns", totals.cpu_time);
  json.Unsigned("peak_memory_bytes", totals.peak_memory);
  json.Unsigned("rings", totals.rings);
  json.Unsigned("ring_bytes", totals.ring_bytes);
  json.Unsigned("side_ring_bytes", totals.side_ring_bytes);
  json.Unsigned("kernel_memory_bytes", totals.kernel_memory);
  json.Unsigned("fullest_ring_percent", totals.capture.fullest_ring_percent);
  json.Unsigned("drains", totals.capture.drains);
  json.Unsigned("stalls", totals.capture.stalls);
  json.Bool("realtime", totals.realtime);
  json.Unsigned("thread_tables", totals.file.thread_tables);
  json.Unsigned("threads_alive", totals.file.threads_alive);
  // A path may be no UTF-8, and this may go to a terminal: the writer sees to both.
  json.EndObject();
  return fmt::to_string(buffer) + '\n';
}

}  // namespace tools
