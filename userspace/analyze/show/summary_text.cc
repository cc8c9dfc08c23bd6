// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analyze/show/summary_report.h"
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

std::string ThreadText(const Summary& summary, fxt::Koid koid, const Summary::Thread& thread) {
  const std::string& process = summary.names.process_name(thread.process);
  std::string text = fmt::format("{} [{}]", text::CleanText(summary.names.thread_name(koid)), koid);
  if (thread.process != koid || !process.empty()) {
    text += fmt::format(" of {} [{}]", text::CleanText(process), thread.process);
  }
  return text;
}

void Session(Report& out, const Summary& summary) {
  if (summary.session.empty()) return;
  out.Line("recorded");
  for (const auto& [name, value] : summary.session) {
    if (!value.empty()) out.Line("  {:<12} {}", text::CleanText(name), text::CleanText(value));
  }
}

void Kinds(Report& out, const Summary& summary) {
  out.Line("records        {:>14}  {:>12}", "count", "bytes");
  for (size_t i = 0; i < facts::kRecordKinds; ++i) {
    const Counted& kind = summary.kinds[i];
    if (kind.count == 0) continue;
    out.Line("  {:<18} {:>8}  {:>12}", facts::NameOf(static_cast<facts::RecordKind>(i)),
             FormatCount(kind.count), FormatSize(kind.bytes));
  }
  out.Line("  {:<18} {:>8}  {:>12}", "all", FormatCount(summary.records),
           FormatSize(summary.bytes));
}

void Providers(Report& out, const Summary& summary) {
  out.Line("providers");
  for (const Summary::Provider& provider : summary.providers) {
    out.Line("  #{} \"{}\": {} records, {}, {} ticks/s", provider.id,
             text::CleanText(provider.name), FormatCount(provider.records.count),
             FormatSize(provider.records.bytes), FormatCount(provider.ticks_per_second));
  }
}

void Cpus(Report& out, const Summary& summary) {
  if (summary.cpus.empty()) return;
  const bool all_known = std::all_of(summary.cpus.begin(), summary.cpus.end(),
                                     [](const auto& cpu) { return cpu.second.unknown_ns == 0; });
  out.Line("cpus           {:>10} {:>10}  busy{}", "switches", "wakeups",
           all_known ? "" : "   unknown");
  const auto percent = [&](uint64_t ns) {
    return summary.duration_ns() == 0
               ? 0
               : 100.0 * static_cast<double>(ns) / static_cast<double>(summary.duration_ns());
  };
  for (const auto& [cpu, counts] : summary.cpus) {
    const std::string unknown =
        all_known ? "" : fmt::format("   {:>5.1f}%", percent(counts.unknown_ns));
    out.Line("  cpu {:<8} {:>10} {:>10} {:>5.1f}%{}", cpu, FormatCount(counts.switches),
             FormatCount(counts.wakeups), percent(counts.busy_ns), unknown);
  }
}

void Threads(Report& out, const Summary& summary, size_t top) {
  if (summary.threads.empty()) {
    if (!summary.names.threads().empty()) {
      out.Line("threads        {} named, of {} processes", summary.names.threads().size(),
               summary.names.processes().size());
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
  for (const auto& [koid, thread] : summary.threads) {
    if (thread.idle) continue;
    threads.push_back({thread.switches, ThreadText(summary, koid, thread), thread.run_ns});
    Row& process = by_process[thread.process];
    process.switches += thread.switches;
    process.run_ns += thread.run_ns;
    process.text = fmt::format(
        "{} [{}]", text::CleanText(summary.names.process_name(thread.process)), thread.process);
  }
  std::vector<Row> processes;
  processes.reserve(by_process.size());
  for (auto& [koid, row] : by_process) processes.push_back(std::move(row));
  const auto print = [&](const char* what, std::vector<Row>& rows) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.switches > b.switches; });
    out.Line("{:<14} {} ran; top by switches", what, FormatCount(rows.size()));
    for (size_t i = 0; i < std::min(top, rows.size()); ++i) {
      out.Line("  {:>10} {:>12}  {}", FormatCount(rows[i].switches), FormatDuration(rows[i].run_ns),
               rows[i].text);
    }
  };
  print("threads", threads);
  print("processes", processes);
}

void Losses(Report& out, const Summary& summary) {
  if (summary.lost.empty() && summary.buffer_filled_events == 0) {
    out.Line("lost events    none declared");
  } else {
    out.Line("lost events    {} (a buffer filled up {} times)", FormatCount(summary.lost_events()),
             FormatCount(summary.buffer_filled_events));
    for (const auto& [key, count] : summary.lost) {
      const std::string cpu = key.first < 0 ? "no cpu" : fmt::format("cpu {}", key.first);
      out.Line("  {:<10} {:<10} {:>10}", cpu, text::CleanText(key.second), FormatCount(count));
    }
  }
  if (summary.unseen_switches != 0) {
    out.Line("unseen         {} switches the kernel did not show",
             FormatCount(summary.unseen_switches));
  }
}

void Trouble(Report& out, const Summary& summary) {
  uint64_t told = 0;
  for (size_t i = 0; i < fxt::kDiagnosticKinds; ++i) {
    const auto kind = static_cast<fxt::DiagnosticKind>(i);
    if (summary.diagnostics[i] == 0) continue;
    if (told++ == 0) out.Line("notes of the reader");
    out.Line("  {:>10}  {}", FormatCount(summary.diagnostics[i]), fxt::Describe(kind));
  }
  if (!summary.first_diagnostics.empty()) {
    out.Line("  first: {}", fxt::ToString(summary.first_diagnostics.front()));
  }
  if (summary.not_listed != 0) {
    out.Line("  {:>10}  records belong to names too many to list", FormatCount(summary.not_listed));
  }
}

}  // namespace

std::string SummaryText(const std::string& file, const Summary& summary, size_t top) {
  Report out;
  out.Line("{}: {}, {} records", file, FormatSize(summary.bytes), FormatCount(summary.records));
  if (!summary.error.empty()) out.Line("reading stopped: {}", summary.error);
  if (summary.first_time) {
    out.Line("duration       {}  (from {} s to {} s)", FormatDuration(summary.duration_ns()),
             Seconds(*summary.first_time), Seconds(*summary.last_time));
  } else {
    out.Line("duration       nothing in it has a time");
  }
  Session(out, summary);
  Kinds(out, summary);
  Providers(out, summary);
  Cpus(out, summary);
  Threads(out, summary, top);
  if (!summary.categories.empty()) {
    out.Line("categories of events");
    for (const auto& [name, count] : summary.categories) {
      out.Line("  {:<18} {:>8}", text::CleanText(name), FormatCount(count));
    }
  }
  if (summary.of(facts::RecordKind::kLog).count != 0) {
    out.Line("log messages   {}", FormatCount(summary.of(facts::RecordKind::kLog).count));
  }
  if (!summary.blobs.empty()) {
    out.Line("blobs");
    for (const auto& [name, blob] : summary.blobs) {
      out.Line("  {:<18} type {}, {} records, {}", text::CleanText(name), blob.type,
               FormatCount(blob.payload.count), FormatSize(blob.payload.bytes));
    }
  }
  Losses(out, summary);
  Trouble(out, summary);
  return out.Take();
}

}  // namespace analyze
