// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/show/overview_report.h"
#include "schema/names.h"
#include "text/clean_text.h"
#include "util/quantity.h"

namespace analyze {
namespace {

using util::FormatCount;
using util::FormatDuration;
using util::FormatSize;

class Report {
 public:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += text::CleanText(fmt::format(format, std::forward<Args>(args)...));
    text_.push_back('\n');
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string Seconds(uint64_t ns) {
  return fmt::format("{}.{:09}", ns / 1'000'000'000, ns % 1'000'000'000);
}

std::string ThreadText(const Overview& overview, fxt::Koid koid, const Overview::Thread& thread) {
  const std::string& process = overview.names->process_name(thread.process);
  std::string text =
      fmt::format("{} [{}]", text::CleanText(overview.names->thread_name(koid)), koid);
  if (thread.process != koid || !process.empty()) {
    text += fmt::format(" of {} [{}]", text::CleanText(process), thread.process);
  }
  return text;
}

// The offsets of other clocks are for programs: `--json` has them.
bool IsForPrograms(std::string_view name) {
  return name == schema::argument::kRealtimeAhead || name == schema::argument::kMonotonicAhead;
}

void Session(Report& out, const Overview& overview) {
  if (overview.session.empty()) return;
  out.Line("recorded");
  for (const auto& [name, value] : overview.session) {
    if (value.empty() || IsForPrograms(name)) continue;
    uint64_t bytes = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), bytes);
    const bool is_size = name == schema::argument::kRingBytes && error == std::errc() &&
                         end == value.data() + value.size();
    if (is_size) {
      out.Line("  {:<12} {} for each CPU", "ring buffer", FormatSize(bytes));
    } else {
      out.Line("  {:<12} {}", text::CleanText(name), text::CleanText(value));
    }
  }
}

void Kinds(Report& out, const Overview& overview) {
  out.Line("records        {:>14}  {:>12}", "count", "bytes");
  for (size_t i = 0; i < facts::kRecordKinds; ++i) {
    const Counted& kind = overview.kinds[i];
    if (kind.count == 0) continue;
    out.Line("  {:<18} {:>8}  {:>12}", facts::NameOf(static_cast<facts::RecordKind>(i)),
             FormatCount(kind.count), FormatSize(kind.bytes));
  }
  out.Line("  {:<18} {:>8}  {:>12}", "all", FormatCount(overview.records),
           FormatSize(overview.bytes));
}

void Providers(Report& out, const Overview& overview) {
  // Several of one name and one clock are one line: the parts of a session, or runs of a program.
  struct Row {
    uint32_t first = 0;
    size_t providers = 0;
    Counted records;
  };
  std::map<std::pair<std::string, uint64_t>, Row> rows;
  for (const Overview::Provider& provider : overview.providers) {
    Row& row = rows[{provider.name, provider.ticks_per_second}];
    if (row.providers++ == 0) row.first = provider.id;
    row.records.Add(provider.records);
  }
  out.Line("providers");
  for (const auto& [key, row] : rows) {
    const std::string which = row.providers == 1
                                  ? fmt::format("#{}", row.first)
                                  : fmt::format("{} providers", FormatCount(row.providers));
    out.Line("  {} \"{}\": {} records, {}, {} ticks/s", which, text::CleanText(key.first),
             FormatCount(row.records.count), FormatSize(row.records.bytes),
             FormatCount(key.second));
  }
}

void Cpus(Report& out, const Overview& overview) {
  if (overview.cpus.empty()) return;
  const bool all_known = std::all_of(overview.cpus.begin(), overview.cpus.end(),
                                     [](const auto& cpu) { return cpu.second.unknown_ns == 0; });
  out.Line("cpus           {:>10} {:>10}  busy{}", "switches", "wakeups",
           all_known ? "" : "   unknown");
  const auto percent = [&](uint64_t ns) {
    return overview.window_ns == 0
               ? 0
               : 100.0 * static_cast<double>(ns) / static_cast<double>(overview.window_ns);
  };
  for (const auto& [cpu, counts] : overview.cpus) {
    const std::string unknown =
        all_known ? "" : fmt::format("   {:>5.1f}%", percent(counts.unknown_ns));
    out.Line("  cpu {:<8} {:>10} {:>10} {:>5.1f}%{}", cpu, FormatCount(counts.switches),
             FormatCount(counts.wakeups), percent(counts.busy_ns), unknown);
  }
}

void Threads(Report& out, const Overview& overview, size_t top) {
  if (overview.threads.empty()) {
    if (!overview.names->threads().empty()) {
      out.Line("threads        {} named, of {} processes", overview.names->threads().size(),
               overview.names->CountProcesses());
    }
    return;
  }
  struct Row {
    uint64_t switches;
    std::string text;
    uint64_t run_ns;
  };
  std::vector<Row> threads;
  std::map<fxt::Koid, Row> by_process;
  for (const auto& [koid, thread] : overview.threads) {
    if (thread.idle) continue;
    threads.push_back({thread.switches, ThreadText(overview, koid, thread), thread.run_ns});
    Row& process = by_process[thread.process];
    process.switches += thread.switches;
    process.run_ns += thread.run_ns;
    process.text = fmt::format(
        "{} [{}]", text::CleanText(overview.names->process_name(thread.process)), thread.process);
  }
  std::vector<Row> processes;
  processes.reserve(by_process.size());
  for (auto& [koid, row] : by_process) processes.push_back(std::move(row));
  const auto print = [&](const char* what, std::vector<Row>& rows) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.run_ns > b.run_ns; });
    out.Line("{:<12} {:>10} {:>9}  {} ran", what, "CPU time", "runs", FormatCount(rows.size()));
    for (size_t i = 0; i < std::min(top, rows.size()); ++i) {
      out.Line("  {:>21} {:>9}  {}", FormatDuration(rows[i].run_ns), FormatCount(rows[i].switches),
               rows[i].text);
    }
  };
  print("processes", processes);
  print("threads", threads);
}

double Ratio(uint64_t instructions, uint64_t cycles) {
  return static_cast<double>(instructions) / static_cast<double>(cycles);
}

void Counters(Report& out, const Overview& overview, size_t top) {
  if (overview.counted.empty()) return;
  out.Line("counted while threads ran");
  for (const auto& [name, count] : overview.counted) {
    out.Line("  {:<18} {:>16}", text::CleanText(name), FormatCount(count));
  }
  if (overview.partial_runs != 0) {
    out.Line("  {} runs were not counted whole", FormatCount(overview.partial_runs));
  }
  Overview::Work all;
  std::vector<std::pair<fxt::Koid, Overview::Work>> threads;
  for (const auto& each : overview.work) {
    all.cycles += each.second.cycles;
    all.instructions += each.second.instructions;
    threads.push_back(each);
  }
  if (all.cycles == 0) return;
  out.Line("instructions per cycle {:.2f}; by threads, most cycles first",
           Ratio(all.instructions, all.cycles));
  std::stable_sort(threads.begin(), threads.end(),
                   [](const auto& a, const auto& b) { return a.second.cycles > b.second.cycles; });
  for (size_t i = 0; i < std::min(top, threads.size()); ++i) {
    const auto& [koid, work] = threads[i];
    out.Line("  {:>6.2f} {:>16}  {} [{}]", Ratio(work.instructions, work.cycles),
             FormatCount(work.cycles), text::CleanText(overview.names->thread_name(koid)), koid);
  }
}

void Blocked(Report& out, const Overview& overview, size_t top) {
  if (overview.blocked.empty()) return;
  // Without any reason the section would only repeat the sum of blocked time.
  if (overview.blocked.size() == 1 && overview.blocked.begin()->first.empty()) return;
  std::vector<std::pair<std::string, Overview::Blocked>> reasons(overview.blocked.begin(),
                                                                 overview.blocked.end());
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
  out.Line("waits in D       blocked     waits  by reason");
  for (size_t i = 0; i < std::min(top, reasons.size()); ++i) {
    const auto& [reason, sum] = reasons[i];
    out.Line("  {:>21} {:>9}  {}", FormatDuration(sum.ns), FormatCount(sum.waits),
             reason.empty() ? "(not known)" : text::CleanText(reason));
  }
}

void StackEnds(Report& out, const Overview& overview, size_t top) {
  const auto& ends = overview.stack_ends;
  if (ends.all() == 0) return;
  if (ends.early() == 0) {
    out.Line("stacks         {}, all complete", FormatCount(ends.all()));
    return;
  }
  out.Line("stacks         {} of {} end early", FormatCount(ends.early()), FormatCount(ends.all()));
  const auto reasons = ends.Reasons();
  for (size_t i = 0; i < std::min(top, reasons.size()); ++i) {
    out.Line("  {:>10}  {}", FormatCount(reasons[i].second), text::CleanText(reasons[i].first));
  }
}

void Losses(Report& out, const Overview& overview) {
  uint64_t unknown_ns = 0;
  for (const auto& [number, cpu] : overview.cpus) unknown_ns += cpu.unknown_ns;
  const double of_all =
      static_cast<double>(overview.window_ns) * static_cast<double>(overview.cpus.size());
  const bool has_lost = !overview.lost.empty() || overview.buffer_filled_events != 0;
  const std::string part =
      unknown_ns == 0 ? ""
                      : fmt::format("; {}the state of CPUs is unknown in {:.2g}% of their time",
                                    has_lost && overview.unseen_switches != 0 ? "with both, " : "",
                                    100 * static_cast<double>(unknown_ns) / of_all);
  if (!has_lost) {
    out.Line("lost events    none declared");
  } else {
    out.Line("lost events    {} (a buffer filled up {} times){}",
             FormatCount(overview.lost_events()), FormatCount(overview.buffer_filled_events),
             overview.unseen_switches == 0 ? part : "");
    for (const auto& [key, count] : overview.lost) {
      const std::string cpu = key.first < 0 ? "no cpu" : fmt::format("cpu {}", key.first);
      out.Line("  {:<10} {:<10} {:>10}", cpu, text::CleanText(key.second), FormatCount(count));
    }
  }
  if (overview.unseen_switches != 0) {
    out.Line("unseen         {} switches that the kernel did not report{}",
             FormatCount(overview.unseen_switches), part);
  }
}

void Trouble(Report& out, const Overview& overview) {
  bool has_notes = false;
  for (size_t i = 0; i < fxt::kDiagnosticKinds; ++i) {
    const auto kind = static_cast<fxt::DiagnosticKind>(i);
    if (overview.diagnostics[i] == 0) continue;
    if (!std::exchange(has_notes, true)) out.Line("notes of the reader");
    out.Line("  {:>10}  {}", FormatCount(overview.diagnostics[i]), fxt::Describe(kind));
  }
  if (!overview.first_diagnostics.empty()) {
    out.Line("  first: {}", fxt::ToString(overview.first_diagnostics.front()));
  }
  if (overview.not_listed != 0) {
    out.Line("  {:>10}  records belong to names too many to list",
             FormatCount(overview.not_listed));
  }
}

}  // namespace

std::string OverviewText(const std::string& file, const Overview& overview, size_t top) {
  Report out;
  out.Line("{}: {}, {} records", file, FormatSize(overview.bytes), FormatCount(overview.records));
  if (!overview.error.empty()) out.Line("reading stopped: {}", overview.error);
  if (overview.first_time) {
    out.Line("duration       {}  ({} s to {} s of its clock)",
             FormatDuration(overview.duration_ns()), Seconds(*overview.first_time),
             Seconds(*overview.last_time));
  } else {
    out.Line("duration       nothing in it has a time");
  }
  Session(out, overview);
  Losses(out, overview);
  Cpus(out, overview);
  Threads(out, overview, top);
  Blocked(out, overview, top);
  Counters(out, overview, top);
  if (overview.of(facts::RecordKind::kLog).count != 0) {
    out.Line("log messages   {}", FormatCount(overview.of(facts::RecordKind::kLog).count));
  }
  StackEnds(out, overview, top);
  if (!overview.categories.empty()) {
    out.Line("categories of events");
    for (const auto& [name, count] : overview.categories) {
      out.Line("  {:<18} {:>8}", text::CleanText(name), FormatCount(count));
    }
  }
  Kinds(out, overview);
  Providers(out, overview);
  if (!overview.blobs.empty()) {
    out.Line("blobs");
    for (const auto& [name, blob] : overview.blobs) {
      out.Line("  {:<18} type {}, {} records, {}", text::CleanText(name), blob.type,
               FormatCount(blob.payload.count), FormatSize(blob.payload.bytes));
    }
  }
  Trouble(out, overview);
  return out.Take();
}

}  // namespace analyze
