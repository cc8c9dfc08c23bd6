// SPDX-License-Identifier: BSD-2-Clause
#include "export/clickhouse/fleet_load.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <random>

#include "export/clickhouse/row_binary.h"
#include "export/row_format.h"

namespace exporting {
namespace {

constexpr double kDaySeconds = 86400;
constexpr uint64_t kNanosecondsOfSecond = 1'000'000'000;
constexpr uint64_t kNanosecondsOfDay = 86400 * kNanosecondsOfSecond;

uint16_t DayOf(const CaptureLabels& labels) {
  // The end of 2105: servers of 2018 wrap later days to 1970.
  constexpr double kLastDay = 49672;
  // Also true of NaN.
  if (!(labels.start_time > 0)) return 0;
  return static_cast<uint16_t>(std::min(labels.start_time / kDaySeconds, kLastDay));
}

uint64_t NumberIn(std::string_view line) {
  uint64_t value = 0;
  std::from_chars(line.data(), line.data() + line.size(), value);
  return value;
}

// Splits the first line at its tabs.
std::vector<std::string_view> Fields(std::string_view line) {
  line = line.substr(0, line.find('\n'));
  std::vector<std::string_view> fields;
  for (;;) {
    const size_t end = std::min(line.find('\t'), line.size());
    fields.push_back(line.substr(0, end));
    if (end == line.size()) return fields;
    line.remove_prefix(end + 1);
  }
}

// Returns a number that is unique among the insertions of all hosts.
uint64_t NewBlock() {
  std::random_device random;
  return (uint64_t{random()} << 32) | random();
}

struct DurationName {
  measure::Duration kind;
  std::string_view name;
};
// The names that fxt diff uses.
constexpr std::array<DurationName, 7> kDurationNames = {{
    {measure::Duration::kSlice, "slice"},
    {measure::Duration::kWakeupLatency, "wakeup_latency"},
    {measure::Duration::kPreemptedWait, "preempted_wait"},
    {measure::Duration::kSleep, "sleep"},
    {measure::Duration::kBlocked, "blocked"},
    {measure::Duration::kIrq, "irq_time"},
    {measure::Duration::kSoftirq, "softirq_time"},
}};

}  // namespace

util::Result<std::map<uint32_t, uint64_t>> FleetLoad::InsertedBlocks(std::string_view table) {
  std::map<uint32_t, uint64_t> blocks;
  auto answer = server_.Run(fmt::format(
      "SELECT chunk, max(block) FROM {}.{}_rows WHERE host = {} AND capture = {} AND load IN ({}) "
      "GROUP BY chunk",
      server_.database(), table, Quoted(labels_.host), capture_, interrupted_));
  if (!answer) return answer.TakeError();
  for (std::string_view rest = *answer; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const auto fields = Fields(rest.substr(0, end));
    if (fields.size() == 2)
      blocks[static_cast<uint32_t>(NumberIn(fields[0]))] = NumberIn(fields[1]);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return blocks;
}

util::Status FleetLoad::Begin(int64_t capture) {
  begun_ = true;
  capture_ = capture;
  // Load numbers follow the server's clock, which is the same for all hosts, so they increase even
  // if this host's clock steps back. The load resumes interrupted loads of the same file and label
  // that began after the last complete load and within a day, before a cleanup may remove their
  // blocks.
  auto answer = server_.Run(fmt::format(
      "SELECT greatest(max(load) + 1, toUInt64(toUnixTimestamp(now())) * 1000000000) AS next, "
      "arrayStringConcat(arrayMap(one -> toString(one), arrayFilter(one -> one > done AND one + {} "
      "> next, begun)), ','), maxIf(load, complete = 1) AS done, groupUniqArrayIf(load, complete = "
      "0 AND bytes = {} AND label = {} AND day = toDate({})) AS begun FROM {}.loads_rows WHERE "
      "host = {} AND capture = {}",
      kNanosecondsOfDay, labels_.bytes, Quoted(labels_.label), DayOf(labels_), server_.database(),
      Quoted(labels_.host), capture));
  if (!answer) return answer.TakeError();
  const auto fields = Fields(*answer);
  // Loads that begin in the same second get different numbers.
  load_ = NumberIn(fields.front()) + NewBlock() % kNanosecondsOfSecond;
  interrupted_ = fields.size() > 1 ? fields[1] : "";
  return WriteLoadRows(false);
}

util::Status FleetLoad::WriteLoadRows(bool complete) {
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
    const auto pending = pending_.find(table);
    const bool has_blocks = complete && pending != pending_.end();
    AppendNumbers(rows, has_blocks ? pending->second.blocks : std::vector<uint64_t>());
  }
  // Duplicate rows have no effect.
  for (Attempts attempts;;) {
    bool uncertain = false;
    auto status = server_.Insert("loads_rows",
                                 "load, table, day, host, label, capture, bytes, rows, complete, "
                                 "blocks",
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
  if (!interrupted_.empty()) {
    auto inserted = InsertedBlocks(name);
    if (!inserted) return inserted.TakeError();
    made.inserted = std::move(*inserted);
  }
  return &made;
}

void FleetLoad::AddCommon(Pending& pending) const {
  // Send() stores the block number.
  pending.row_starts.push_back(static_cast<uint32_t>(pending.buffer.size()));
  AppendNumber(pending.buffer, 0, kBlockBytes);
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

util::Result<bool> FleetLoad::IsInserted(const Pending& pending, uint64_t block) {
  auto answer =
      server_.Run(fmt::format("SELECT count() FROM {}.{}_rows WHERE host = {} AND capture = {} AND "
                              "load = {} AND chunk = {} AND block = {}",
                              server_.database(), pending.table.name, Quoted(labels_.host),
                              capture_, load_, pending.chunk, block));
  if (!answer) return answer.TakeError();
  return NumberIn(*answer) != 0;
}

util::Result<uint64_t> FleetLoad::Send(Pending& pending) {
  for (Attempts attempts;;) {
    // A block that timed out may still arrive. Its number is not listed, so it has no effect.
    const uint64_t block = NewBlock();
    for (const uint32_t start : pending.row_starts) {
      StoreNumber(pending.buffer.data() + start, block, kBlockBytes);
    }
    bool uncertain = false;
    auto status = server_.Insert(fmt::format("{}_rows", pending.table.name), pending.columns,
                                 {pending.buffer.data(), pending.buffer.size()}, uncertain);
    if (status) return block;
    if (!uncertain || !attempts.WaitForNext()) return status.TakeError();
    // The block may have arrived although the answer did not.
    auto inserted = IsInserted(pending, block);
    if (!inserted) return inserted.TakeError();
    if (*inserted) return block;
  }
}

util::Status FleetLoad::Flush(Pending& pending) {
  if (pending.rows == 0) return util::Ok();
  if (const auto found = pending.inserted.find(pending.chunk); found != pending.inserted.end()) {
    pending.blocks.push_back(found->second);
    ++resumed_;
  } else {
    auto block = Send(pending);
    if (!block) return block.TakeError();
    pending.blocks.push_back(*block);
  }
  bytes_ += pending.buffer.size();
  pending.buffer.clear();
  pending.row_starts.clear();
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
    for (const DurationName& named : kDurationNames) {
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
        {"affinity", 0, group.affinity_ns},
        {"weight", 0, group.weight_ns},
        {"rt_throttled", 0, group.rt_throttled_ns},
    };
    for (const auto& sum : sums) {
      if (auto status = add_total(group, sum.metric, sum.count, sum.ns); !status) return status;
    }
  }
  const measure::Group no_group;
  for (const auto& [name, stats] : measured.requests) {
    if (auto status = add_times(no_group, "request " + name, stats.times); !status) return status;
  }
  return WriteRequestParts(measured);
}

util::Status FleetLoad::WriteRequestParts(const measure::Capture& measured) {
  auto parts = PendingOf(RequestPartsTable().name, RequestPartsTable());
  if (!parts) return parts.TakeError();
  fmt::memory_buffer& buffer = (*parts)->buffer;
  for (const auto& [name, stats] : measured.requests) {
    for (const auto& [part, ns] : stats.parts) {
      AddCommon(**parts);
      AppendString(buffer, name);
      AppendNumber(buffer, stats.times.whole.count(), 8);
      AppendString(buffer, path::NameOf(part.kind));
      AppendNumber(buffer, part.is_own ? 1 : 0, 1);
      for (const std::string* text : {&part.thread, &part.waited_for, &part.object}) {
        AppendString(buffer, *text);
      }
      AppendNumber(buffer, ns, 8);
      if (auto status = EndRow(**parts); !status) return status;
    }
  }
  return util::Ok();
}

util::Status FleetLoad::Finish() {
  if (!begun_) return util::Ok();
  for (auto& [name, pending] : pending_) {
    if (auto status = Flush(pending); !status) return status;
  }
  return WriteLoadRows(true);
}

}  // namespace exporting
