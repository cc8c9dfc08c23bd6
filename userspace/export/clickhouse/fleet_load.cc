// SPDX-License-Identifier: BSD-2-Clause
#include "export/clickhouse/fleet_load.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "export/clickhouse/row_binary.h"
#include "export/row_format.h"

namespace exporting {
namespace {

constexpr double kDaySeconds = 86400;

uint16_t DayOf(const CaptureLabels& labels) {
  return static_cast<uint16_t>(std::clamp(labels.start_time / kDaySeconds, 0.0, 65535.0));
}

uint64_t NumberIn(std::string_view line) {
  uint64_t value = 0;
  std::from_chars(line.data(), line.data() + line.size(), value);
  return value;
}

// Of two loads of a capture the later one has the larger number.
uint64_t NewLoad() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::system_clock::now().time_since_epoch())
                                   .count());
}

struct Named {
  measure::Duration kind;
  std::string_view name;
};
// Names as fxt diff has them.
constexpr std::array<Named, measure::kDurations> kDurationNames = {{
    {measure::Duration::kSlice, "slice"},
    {measure::Duration::kWakeupLatency, "wakeup_latency"},
    {measure::Duration::kPreemptedWait, "preempted_wait"},
    {measure::Duration::kSleep, "sleep"},
    {measure::Duration::kBlocked, "blocked"},
    {measure::Duration::kIrq, "irq_time"},
    {measure::Duration::kSoftirq, "softirq_time"},
}};

}  // namespace

util::Result<std::set<uint32_t>> FleetLoad::ChunksThere(std::string_view table) {
  std::set<uint32_t> there;
  auto answer = server_.Run(fmt::format(
      "SELECT DISTINCT chunk FROM {}.{}_rows WHERE host = {} AND capture = {} AND load = {}",
      server_.database(), table, Quoted(labels_.host), capture_, load_));
  if (!answer) return answer.TakeError();
  for (std::string_view rest = *answer; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    there.insert(static_cast<uint32_t>(NumberIn(rest.substr(0, end))));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return there;
}

util::Status FleetLoad::Begin(int64_t capture) {
  begun_ = true;
  capture_ = capture;
  // One that was begun with the same file and words after the last one that came to its end.
  auto answer = server_.Run(fmt::format(
      "SELECT maxIf(load, complete = 0 AND bytes = {} AND label = {} AND day = toDate({})), "
      "maxIf(load, complete = 1) FROM {}.loads_rows WHERE host = {} AND capture = {}",
      labels_.bytes, Quoted(labels_.label), DayOf(labels_), server_.database(),
      Quoted(labels_.host), capture));
  if (!answer) return answer.TakeError();
  const uint64_t begun = NumberIn(*answer);
  const size_t tab = std::min(answer->find('\t'), answer->size());
  const uint64_t complete =
      NumberIn(std::string_view(*answer).substr(std::min(tab + 1, answer->size())));
  resumes_ = begun > complete;
  load_ = resumes_ ? begun : NewLoad();
  return resumes_ ? util::Ok() : Note(false);
}

util::Status FleetLoad::Note(bool complete) {
  fmt::memory_buffer rows;
  for (const std::string& table : tables_) {
    AppendNumber(rows, load_, 8);
    AppendString(rows, table);
    AppendNumber(rows, DayOf(labels_), 2);
    AppendString(rows, labels_.host);
    AppendString(rows, labels_.label);
    AppendNumber(rows, static_cast<uint64_t>(capture_), 8);
    AppendNumber(rows, labels_.bytes, 8);
    AppendNumber(rows, rows_, 8);
    AppendNumber(rows, complete ? 1 : 0, 1);
  }
  // Doubled it says the same.
  for (Attempts attempts;;) {
    bool uncertain = false;
    auto status = server_.Insert("loads_rows",
                                 "load, table, day, host, label, capture, bytes, rows, complete",
                                 {rows.data(), rows.size()}, uncertain);
    if (status || !uncertain || !attempts.WaitForNext()) return status;
  }
}

util::Result<FleetLoad::Pending*> FleetLoad::PendingOf(std::string_view name,
                                                       const FleetTable& table) {
  const auto found = pending_.find(name);
  if (found != pending_.end()) return &found->second;
  Pending& made = pending_.try_emplace(std::string(name)).first->second;
  made.table = table;
  made.columns = ColumnNames(table);
  if (resumes_) {
    auto there = ChunksThere(name);
    if (!there) return there.TakeError();
    made.there = std::move(*there);
  }
  return &made;
}

void FleetLoad::AddCommon(Pending& pending) const {
  AppendNumber(pending.buffer, load_, 8);
  AppendNumber(pending.buffer, pending.chunk, 4);
  AppendNumber(pending.buffer, DayOf(labels_), 2);
  AppendString(pending.buffer, labels_.host);
  AppendString(pending.buffer, labels_.label);
  AppendNumber(pending.buffer, static_cast<uint64_t>(capture_), 8);
}

util::Status FleetLoad::EndRow(Pending& pending) {
  ++pending.rows;
  ++rows_;
  if (pending.rows < kChunkRows && pending.buffer.size() < kChunkBytes) return util::Ok();
  return Flush(pending);
}

util::Result<bool> FleetLoad::IsThere(const Pending& pending) {
  auto answer =
      server_.Run(fmt::format("SELECT count() FROM {}.{}_rows WHERE host = {} AND capture = {} AND "
                              "load = {} AND chunk = {}",
                              server_.database(), pending.table.name, Quoted(labels_.host),
                              capture_, load_, pending.chunk));
  if (!answer) return answer.TakeError();
  return NumberIn(*answer) != 0;
}

util::Status FleetLoad::Flush(Pending& pending) {
  if (pending.rows == 0) return util::Ok();
  if (pending.there.contains(pending.chunk)) {
    ++resumed_;
  } else {
    for (Attempts attempts;;) {
      bool uncertain = false;
      auto status = server_.Insert(fmt::format("{}_rows", pending.table.name), pending.columns,
                                   {pending.buffer.data(), pending.buffer.size()}, uncertain);
      if (status) break;
      if (!uncertain || !attempts.WaitForNext()) return status;
      // It may have arrived, and the answer not.
      auto there = IsThere(pending);
      if (!there) return there.TakeError();
      if (*there) break;
    }
  }
  bytes_ += pending.buffer.size();
  pending.buffer.clear();
  pending.rows = 0;
  ++pending.chunk;
  return util::Ok();
}

util::Status FleetLoad::Write(const tables::RowBatch& rows, int64_t capture) {
  if (!begun_) {
    if (auto status = Begin(capture); !status) return status;
  }
  const tables::TableInfo& info = InfoOf(rows.table());
  auto found = PendingOf(info.name, FleetTableOf(rows.table()));
  if (!found) return found.TakeError();
  Pending& pending = **found;
  // The common columns come from elsewhere.
  std::array<bool, tables::kMaxColumns> own{};
  for (size_t column = 0; column < info.columns.size(); ++column) {
    own[column] = std::any_of(
        pending.table.columns.begin(), pending.table.columns.end(),
        [&](const FleetColumn& known) { return known.name == info.columns[column].name; });
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    AddCommon(pending);
    const tables::Cell* row = rows.row(i);
    for (size_t column = 0; column < info.columns.size(); ++column) {
      if (own[column]) AppendBinary(pending.buffer, info.columns[column], row[column]);
    }
    if (auto status = EndRow(pending); !status) return status;
  }
  return util::Ok();
}

util::Status FleetLoad::WriteGroups(const measure::Capture& measured, int64_t capture) {
  if (!begun_) {
    if (auto status = Begin(capture); !status) return status;
  }
  auto totals = PendingOf(TotalsTable().name, TotalsTable());
  if (!totals) return totals.TakeError();
  auto histograms = PendingOf(HistogramsTable().name, HistogramsTable());
  if (!histograms) return histograms.TakeError();

  const auto begin_row = [&](Pending& pending, const measure::Group& group,
                             std::string_view metric) {
    AddCommon(pending);
    AppendString(pending.buffer, group.name.process);
    AppendString(pending.buffer, group.name.thread);
    AppendNumber(pending.buffer, group.name.of_command ? 1 : 0, 1);
    AppendString(pending.buffer, metric);
  };
  const auto add_total = [&](const measure::Group& group, std::string_view metric, uint64_t count,
                             uint64_t ns) {
    if (count == 0 && ns == 0) return util::Ok();
    begin_row(**totals, group, metric);
    AppendNumber((*totals)->buffer, count, 8);
    AppendNumber((*totals)->buffer, ns, 8);
    AppendNumber((*totals)->buffer, measured.length(), 8);
    return EndRow(**totals);
  };
  const auto add_times = [&](const measure::Group& group, std::string_view metric,
                             const measure::Distribution& times) {
    if (auto status = add_total(group, metric, times.whole.count(), times.whole_ns); !status) {
      return status;
    }
    for (const auto& [bucket, count] : times.whole.buckets()) {
      begin_row(**histograms, group, metric);
      AppendNumber((*histograms)->buffer, measure::Histogram::LeastOf(bucket), 8);
      AppendNumber((*histograms)->buffer, measure::Histogram::MostOf(bucket), 8);
      AppendNumber((*histograms)->buffer, count, 8);
      if (auto status = EndRow(**histograms); !status) return status;
    }
    return util::Ok();
  };
  for (const measure::Group& group : measured.groups) {
    for (const Named& named : kDurationNames) {
      if (auto status = add_times(group, named.name, group.of(named.kind)); !status) return status;
    }
    for (const auto& [call, times] : group.syscalls) {
      if (auto status = add_times(group, "syscall_time " + call, times); !status) return status;
    }
    const struct {
      std::string_view metric;
      uint64_t count;
      uint64_t ns;
    } sums[] = {
        {"cpu_time", group.switches_voluntary + group.switches_involuntary,
         group.of(facts::Share::kRunning)},
        {"switches_voluntary", group.switches_voluntary, 0},
        {"switches_involuntary", group.switches_involuntary, 0},
        {"wakeups", group.wakeups, 0},
        {"migrations", group.migrations, 0},
        {"forked_processes", group.forked_processes, 0},
        {"forked_threads", group.forked_threads, 0},
        {"inversion", 0, group.inversion_ns},
        {"unconserved", 0, group.unconserved_ns},
    };
    for (const auto& sum : sums) {
      if (auto status = add_total(group, sum.metric, sum.count, sum.ns); !status) return status;
    }
  }
  return util::Ok();
}

util::Status FleetLoad::Finish() {
  if (!begun_) return util::Ok();
  for (auto& [name, pending] : pending_) {
    if (auto status = Flush(pending); !status) return status;
  }
  return Note(true);
}

}  // namespace exporting
