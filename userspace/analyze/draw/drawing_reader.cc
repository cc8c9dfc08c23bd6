// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/draw/drawing_reader.h"

#include <algorithm>

#include "fxt/id_map.h"
#include "schema/names.h"
#include "tables/rows/schema.h"

namespace analyze {
namespace {

using tables::Cell;
using tables::RowBatch;
using tables::Table;
using State = Drawing::State;

const Cell& At(const RowBatch& rows, size_t row, uint8_t column) {
  return rows.row(row)[rows.SlotOf(column)];
}

// Integers of these tables are not negative.
uint64_t NumberAt(const RowBatch& rows, size_t row, uint8_t column) {
  return static_cast<uint64_t>(At(rows, row, column).integer);
}

std::optional<uint64_t> MaybeNumber(const RowBatch& rows, size_t row, uint8_t column) {
  const Cell& cell = At(rows, row, column);
  if (cell.is_null()) return std::nullopt;
  return static_cast<uint64_t>(cell.integer);
}

std::string TextAt(const RowBatch& rows, size_t row, uint8_t column) {
  const Cell& cell = At(rows, row, column);
  return cell.is_null() ? "" : std::string(cell.view());
}

State StateOf(std::string_view kind) {
  if (kind == "wakeup") return State::kWakeup;
  if (kind == "preempted") return State::kPreempted;
  if (kind == "sleep") return State::kSleeping;
  if (kind == "blocked") return State::kBlocked;
  if (kind == "throttled") return State::kThrottled;
  return kind == "stopped" ? State::kStopped : State::kUnknown;
}

constexpr uint64_t kAll = tables::kAllColumns;

}  // namespace

DrawingReader::DrawingReader(const DrawOptions& options) : options_(options) {
  drawing_.first = options.first;
  drawing_.slots = options.slots;
  drawing_.begin = options.from;
  drawing_.end = std::max(options.to, options.from + 1);
  drawing_.path = options.path;
}

DrawingReader::Interval DrawingReader::Clipped(uint64_t begin, uint64_t length) const {
  const uint64_t end = begin + std::min(length, UINT64_MAX - begin);
  return {std::max(begin, drawing_.begin), std::min(end, drawing_.end)};
}

util::Status DrawingReader::ReadAll(tables::Scan& scan, const std::function<void()>& take) {
  while (scan.Advance()) {
    take();
    if (options_.progress) options_.progress(scan.reader().position());
  }
  if (scan.error().empty()) return util::Ok();
  return util::Error{scan.error(), "fxt recover may save what is before it"};
}

util::Status DrawingReader::Choose(fxt::ByteSource& source) {
  struct Candidate {
    uint64_t busy = 0;
    Drawing::ThreadLane lane;
  };
  struct Columns {
    bool runs;
    uint8_t begin, length, koid, tid, thread, process;
  };
  fxt::IdMap<Candidate> candidates;
  tables::RowFilter filter;
  filter.to = static_cast<int64_t>(std::min<uint64_t>(drawing_.end, INT64_MAX));
  tables::Scan scan("", source, texts_);
  scan.Want(Table::kSlices, kAll, filter);
  // A selected thread is shown even if it only waits.
  if (options_.wants_thread) scan.Want(Table::kWaits, kAll, filter);
  auto status = ReadAll(scan, [&] {
    namespace slices = tables::slices;
    namespace waits = tables::waits;
    const auto add = [&](const RowBatch& rows, const Columns& columns) {
      for (size_t i = 0; i < rows.size(); ++i) {
        const Interval part =
            Clipped(NumberAt(rows, i, columns.begin), NumberAt(rows, i, columns.length));
        if (part.begin >= part.end) continue;
        const fxt::Koid koid = NumberAt(rows, i, columns.koid);
        Candidate& one = candidates[koid];
        if (columns.runs) one.busy += part.end - part.begin;
        one.lane.koid = koid;
        one.lane.tid = MaybeNumber(rows, i, columns.tid);
        one.lane.thread = TextAt(rows, i, columns.thread);
        one.lane.process = TextAt(rows, i, columns.process);
      }
    };
    add(*scan.rows(Table::kSlices), {.runs = true,
                                     .begin = slices::kTs,
                                     .length = slices::kLength,
                                     .koid = slices::kKoid,
                                     .tid = slices::kTid,
                                     .thread = slices::kThread,
                                     .process = slices::kProcess});
    if (!options_.wants_thread) return;
    add(*scan.rows(Table::kWaits), {.runs = false,
                                    .begin = waits::kTs,
                                    .length = waits::kLength,
                                    .koid = waits::kKoid,
                                    .tid = waits::kTid,
                                    .thread = waits::kThread,
                                    .process = waits::kProcess});
  });
  if (!status) return status;
  std::vector<Candidate> chosen;
  for (auto& [koid, one] : candidates) {
    if (!options_.wants_thread || options_.wants_thread(koid, one.lane.thread)) {
      chosen.push_back(std::move(one));
    }
  }
  std::sort(chosen.begin(), chosen.end(), [](const Candidate& a, const Candidate& b) {
    return a.busy != b.busy ? a.busy > b.busy : a.lane.koid < b.lane.koid;
  });
  for (Candidate& one : chosen) {
    if (drawing_.threads.size() == options_.max_threads) break;
    one.lane.slots.resize(drawing_.slots);
    drawing_.threads.push_back(std::move(one.lane));
  }
  drawing_.other_threads = candidates.size() - drawing_.threads.size();
  return util::Ok();
}

util::Status DrawingReader::Read(fxt::ByteSource& source) {
  tables::RowFilter filter;
  filter.to = static_cast<int64_t>(std::min<uint64_t>(drawing_.end, INT64_MAX));
  tables::RowFilter within = filter;
  within.from = static_cast<int64_t>(std::min<uint64_t>(drawing_.begin, INT64_MAX));
  tables::Scan scan("", source, texts_);
  for (const Table table : {Table::kSlices, Table::kIdle, Table::kWaits, Table::kSpans}) {
    scan.Want(table, kAll, filter);
  }
  for (const Table table : {Table::kWakeups, Table::kLosses}) scan.Want(table, kAll, within);
  return ReadAll(scan, [&] {
    AddSlices(*scan.rows(Table::kSlices));
    AddIdle(*scan.rows(Table::kIdle));
    AddWaits(*scan.rows(Table::kWaits));
    AddWakeups(*scan.rows(Table::kWakeups));
    AddSpans(*scan.rows(Table::kSpans));
    AddLosses(*scan.rows(Table::kLosses));
  });
}

Drawing::CpuLane* DrawingReader::CpuAt(uint32_t cpu) {
  if (!options_.cpus.empty() && !options_.cpus.contains(cpu)) return nullptr;
  auto& lanes = drawing_.cpus;
  auto lane = std::lower_bound(
      lanes.begin(), lanes.end(), cpu,
      [](const Drawing::CpuLane& one, uint32_t number) { return one.cpu < number; });
  if (lane != lanes.end() && lane->cpu == cpu) return &*lane;
  if (lanes.size() == Drawing::kMaxCpus) {
    without_lane_.insert(cpu);
    drawing_.other_cpus = without_lane_.size();
    return nullptr;
  }
  lane = lanes.insert(lane, Drawing::CpuLane{});
  lane->busy.assign(drawing_.slots, 0);
  lane->idle.assign(drawing_.slots, 0);
  lane->cpu = cpu;
  return &*lane;
}

Drawing::ThreadLane* DrawingReader::ThreadAt(fxt::Koid koid) {
  for (Drawing::ThreadLane& lane : drawing_.threads) {
    if (lane.koid == koid) return &lane;
  }
  return nullptr;
}

void DrawingReader::AddSlices(const RowBatch& rows) {
  namespace column = tables::slices;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Interval part =
        Clipped(NumberAt(rows, i, column::kTs), NumberAt(rows, i, column::kLength));
    if (part.begin >= part.end) continue;
    if (auto* lane = CpuAt(static_cast<uint32_t>(NumberAt(rows, i, column::kCpu)))) {
      drawing_.EachSlot(part, [&](size_t slot, double ns) { lane->busy[slot] += ns; });
      if (static_cast<double>(part.end - part.begin) >= drawing_.slot_ns()) {
        lane->runs.push_back({part.begin, part.end, TextAt(rows, i, column::kThread)});
      }
    }
    if (auto* lane = ThreadAt(NumberAt(rows, i, column::kKoid))) {
      drawing_.EachSlot(part, [&](size_t slot, double ns) {
        lane->slots[slot][static_cast<size_t>(State::kRunning)] += ns;
      });
    }
  }
}

void DrawingReader::AddIdle(const RowBatch& rows) {
  namespace column = tables::idle;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Interval part =
        Clipped(NumberAt(rows, i, column::kTs), NumberAt(rows, i, column::kLength));
    if (part.begin >= part.end) continue;
    if (auto* lane = CpuAt(static_cast<uint32_t>(NumberAt(rows, i, column::kCpu)))) {
      drawing_.EachSlot(part, [&](size_t slot, double ns) { lane->idle[slot] += ns; });
    }
  }
}

void DrawingReader::AddWaits(const RowBatch& rows) {
  namespace column = tables::waits;
  for (size_t i = 0; i < rows.size(); ++i) {
    auto* lane = ThreadAt(NumberAt(rows, i, column::kKoid));
    if (lane == nullptr) continue;
    const bool certain = NumberAt(rows, i, column::kCertain) != 0;
    const auto state = certain ? StateOf(At(rows, i, column::kKind).view()) : State::kUnknown;
    drawing_.EachSlot(
        Clipped(NumberAt(rows, i, column::kTs), NumberAt(rows, i, column::kLength)),
        [&](size_t slot, double ns) { lane->slots[slot][static_cast<size_t>(state)] += ns; });
  }
}

void DrawingReader::AddWakeups(const RowBatch& rows) {
  namespace column = tables::wakeups;
  for (size_t i = 0; i < rows.size(); ++i) {
    const fxt::Koid woken = NumberAt(rows, i, column::kKoid);
    if (ThreadAt(woken) == nullptr) continue;
    if (drawing_.wakes.size() == Drawing::kMaxWakes) {
      drawing_.is_whole = false;
      return;
    }
    Drawing::Wake wake{.time = NumberAt(rows, i, column::kTs), .waker = {}, .woken = woken};
    // The table has the tid of the waker, not its koid.
    if (const auto tid = MaybeNumber(rows, i, column::kWakerTid)) {
      for (const Drawing::ThreadLane& lane : drawing_.threads) {
        if (lane.tid == tid) wake.waker = lane.koid;
      }
    }
    drawing_.wakes.push_back(wake);
  }
}

void DrawingReader::AddSpans(const RowBatch& rows) {
  namespace column = tables::spans;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto length = MaybeNumber(rows, i, column::kDur);
    if (!length) continue;
    const Interval part = Clipped(NumberAt(rows, i, column::kTs), *length);
    if (part.begin >= part.end) continue;
    std::vector<Drawing::Span>* spans = nullptr;
    if (auto* lane = ThreadAt(NumberAt(rows, i, column::kKoid))) {
      spans = &lane->spans;
    } else if (!MaybeNumber(rows, i, column::kTid) &&
               schema::IsKernelProvider(TextAt(rows, i, column::kProvider))) {
      // Tracks of interrupts have no tid.
      const auto cpu = MaybeNumber(rows, i, column::kCpu);
      auto* lane_of_cpu = cpu ? CpuAt(static_cast<uint32_t>(*cpu)) : nullptr;
      if (lane_of_cpu != nullptr) spans = &lane_of_cpu->spans;
    }
    if (spans == nullptr) continue;
    if (spans->size() == Drawing::kMaxSpans) {
      drawing_.is_whole = false;
      continue;
    }
    spans->push_back({part.begin, part.end, TextAt(rows, i, column::kName)});
  }
}

void DrawingReader::AddLosses(const RowBatch& rows) {
  namespace column = tables::losses;
  for (size_t i = 0; i < rows.size(); ++i) {
    Drawing::Loss loss{.time = NumberAt(rows, i, column::kTs), .cpu = {}, .count = 0};
    if (const auto cpu = MaybeNumber(rows, i, column::kCpu)) {
      loss.cpu = static_cast<uint32_t>(*cpu);
    }
    loss.count = MaybeNumber(rows, i, column::kCount).value_or(0);
    if (drawing_.losses.size() < Drawing::kMaxSpans) drawing_.losses.push_back(loss);
  }
}

}  // namespace analyze
