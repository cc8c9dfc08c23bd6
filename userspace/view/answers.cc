// SPDX-License-Identifier: BSD-2-Clause
#include "view/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <queue>

#include "fxt/id_map.h"
#include "schema/koid.h"
#include "text/clean_text.h"
#include "text/json_writer.h"
#include "view/tile.h"
#include "view/trace_index.h"

namespace view {
namespace {

using text::JsonWriter;

uint64_t FirstOf(const TraceIndex& index) { return index.first().value_or(0); }

int64_t Relative(const TraceIndex& index, uint64_t time) {
  return static_cast<int64_t>(time - FirstOf(index));
}

// Converts a time relative to the first time into one of the file's clock. Saturates.
uint64_t AbsoluteOf(const TraceIndex& index, int64_t time) {
  const uint64_t first = FirstOf(index);
  if (time < 0) {
    const uint64_t before = uint64_t{0} - static_cast<uint64_t>(time);
    return before > first ? 0 : first - before;
  }
  const auto after = static_cast<uint64_t>(time);
  return after > UINT64_MAX - first ? UINT64_MAX : first + after;
}

// Writes a JSON number. JavaScript loses digits of integers beyond 2^53, which is acceptable here.
void PutNumber(JsonWriter& json, std::string_view key, int64_t value) {
  json.Key(key).Json(fmt::to_string(value));
}

std::string Text(const fmt::memory_buffer& out) { return {out.data(), out.size()}; }

void PutName(JsonWriter& json, const std::string* name) {
  json.String("name", name == nullptr ? std::string_view() : *name);
}

// Writes the number, name and tid of a thread as an object.
void PutThread(JsonWriter& json, TraceIndex& index, uint32_t number) {
  const ThreadLanes& thread = index.threads()[number];
  json.BeginObject();
  json.Unsigned("number", number);
  PutName(json, index.names().ThreadName(thread.koid));
  if (const auto tid = index.names().NumberOf(thread.koid)) json.Unsigned("tid", *tid);
  json.EndObject();
}

struct ThreadRow {
  uint32_t number = 0;
  uint64_t run = 0;
  const tables::TaskNames::Thread* known = nullptr;
};

struct ProcessRow {
  fxt::Koid koid = 0;
  uint64_t run = 0;
  std::vector<ThreadRow> threads;
  std::vector<uint32_t> async;
  std::vector<uint32_t> counters;
};

// The processes with their threads, sorted by descending CPU time. Koid ~0 collects threads without
// a process.
std::vector<ProcessRow> RowsOf(TraceIndex& index) {
  constexpr fxt::Koid kNoProcess = ~fxt::Koid{0};
  fxt::IdMap<const tables::TaskNames::Thread*> known;
  for (const auto& thread : index.names().threads()) known.emplace(thread.koid, &thread);
  std::map<fxt::Koid, ProcessRow> processes;
  for (uint32_t number = 0; number < index.threads().size(); ++number) {
    const ThreadLanes& thread = index.threads()[number];
    if (thread.states == kNoLane && thread.spans.empty() && thread.instants.empty()) continue;
    const auto found = known.find(thread.koid);
    const auto* its = found == known.end() ? nullptr : found->second;
    const auto koid = its == nullptr ? std::nullopt : tables::TaskNames::ProcessOf(*its);
    ProcessRow& process = processes[koid.value_or(kNoProcess)];
    const uint64_t run =
        thread.states == kNoLane ? 0 : index.intervals().TimeIn(thread.states, LaneState::kRun);
    process.run += run;
    process.threads.push_back({number, run, its});
  }
  const auto add_tracks = [&](const auto& tracks, auto member) {
    for (uint32_t i = 0; i < tracks.size(); ++i) {
      (processes[tracks[i].process.value_or(kNoProcess)].*member).push_back(i);
    }
  };
  add_tracks(index.async_tracks(), &ProcessRow::async);
  add_tracks(index.counters(), &ProcessRow::counters);
  std::vector<ProcessRow> rows;
  for (auto& [koid, row] : processes) {
    row.koid = koid;
    std::stable_sort(row.threads.begin(), row.threads.end(),
                     [](const ThreadRow& a, const ThreadRow& b) { return a.run > b.run; });
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ProcessRow& a, const ProcessRow& b) { return a.run > b.run; });
  return rows;
}

// True for a track of the recorder, which is not a Linux task.
bool IsOwnTrack(const TraceIndex& index, fxt::Koid koid) { return !index.names().NumberOf(koid); }

// The kind of a process's threads ("irq", "device") if they are not tasks; may be empty.
std::string_view RoleOf(const TraceIndex& index, fxt::Koid process) {
  if (!IsOwnTrack(index, process)) return {};
  if (process == schema::kIrqProcessKoid || process == schema::kSoftirqProcessKoid) return "irq";
  return process == schema::kDeviceProcessKoid ? "device" : std::string_view();
}

void PutRows(JsonWriter& json, SpanLane& lane) {
  json.Unsigned("rows", lane.rows());
  if (lane.without_row() != 0) json.Unsigned("without_row", lane.without_row());
}

void PutThreadRow(JsonWriter& json, TraceIndex& index, const ThreadRow& row) {
  ThreadLanes& thread = index.threads()[row.number];
  json.BeginObject().Unsigned("number", row.number);
  PutName(json, index.names().ThreadName(thread.koid));
  if (const auto tid = index.names().NumberOf(thread.koid)) json.Unsigned("tid", *tid);
  json.Key("koid").String(fmt::to_string(thread.koid));
  if (IsOwnTrack(index, thread.koid) && schema::IsCpuTrack(thread.koid)) {
    json.Unsigned("cpu", schema::TidOfKoid(thread.koid));
  }
  json.Unsigned("run", row.run);
  json.Bool("states", thread.states != kNoLane);
  PutRows(json, thread.spans);
  json.Bool("instants", !thread.instants.empty());
  json.EndObject();
}

void PutProcess(JsonWriter& json, TraceIndex& index, const ProcessRow& row, size_t& room) {
  json.Line().BeginObject();
  json.Key("koid").String(fmt::to_string(row.koid));
  PutName(json, index.names().ProcessName(row.koid));
  if (const auto pid = index.names().NumberOf(row.koid); pid && row.koid != ~fxt::Koid{0}) {
    json.Unsigned("pid", *pid);
  }
  json.Unsigned("run", row.run);
  if (const auto role = RoleOf(index, row.koid); !role.empty()) json.String("role", role);
  json.Key("threads").BeginArray();
  for (const ThreadRow& thread : row.threads) {
    if (room == 0) break;
    --room;
    PutThreadRow(json, index, thread);
  }
  json.EndArray().Key("async").BeginArray();
  for (const uint32_t i : row.async) {
    AsyncTrack& track = index.async_tracks()[i];
    json.BeginObject().Unsigned("number", i).String("name", index.labels().Text(track.name));
    json.String("category", index.labels().Text(track.category));
    if (track.device) json.Unsigned("device", index.Find(*track.device));
    PutRows(json, track.spans);
    json.EndObject();
  }
  json.EndArray().Key("counters").BeginArray();
  for (const uint32_t i : row.counters) {
    const CounterTrack& track = index.counters()[i];
    json.BeginObject().Unsigned("number", i).String("name", index.labels().Text(track.name));
    json.String("series", index.labels().Text(track.series));
    json.Key("id").String(fmt::to_string(track.id)).EndObject();
  }
  json.EndArray().EndObject();
}

// The index of the lane in IntervalLanes; kNoLane if there is none.
uint32_t IntervalLaneOf(TraceIndex& index, const LaneId& id) {
  if (id.kind == LaneKind::kCpu) {
    return id.number < index.cpu_lanes().size() ? index.cpu_lanes()[id.number] : kNoLane;
  }
  return id.number < index.threads().size() ? index.threads()[id.number].states : kNoLane;
}

SpanLane* SpanLaneOf(TraceIndex& index, const LaneId& id) {
  if (id.kind == LaneKind::kSpans && id.number < index.threads().size()) {
    return &index.threads()[id.number].spans;
  }
  if (id.kind == LaneKind::kAsync && id.number < index.async_tracks().size()) {
    return &index.async_tracks()[id.number].spans;
  }
  if (id.kind == LaneKind::kGaps && id.number < index.loss_tracks().size()) {
    return &index.loss_tracks()[id.number].gaps;
  }
  return nullptr;
}

PointLane<Instant>* InstantLaneOf(TraceIndex& index, const LaneId& id) {
  if (id.kind == LaneKind::kInstants && id.number < index.threads().size()) {
    return &index.threads()[id.number].instants;
  }
  if (id.kind == LaneKind::kLosses && id.number < index.loss_tracks().size()) {
    return &index.loss_tracks()[id.number].losses;
  }
  return nullptr;
}

void AppendLane(TraceIndex& index, const LaneId& id, const TileRange& range, std::string& out) {
  switch (id.kind) {
    case LaneKind::kCpu:
    case LaneKind::kStates:
      if (const uint32_t lane = IntervalLaneOf(index, id); lane != kNoLane) {
        return AppendStates(index.intervals(), lane, range, out);
      }
      break;
    case LaneKind::kSpans:
    case LaneKind::kAsync:
    case LaneKind::kGaps:
      if (SpanLane* lane = SpanLaneOf(index, id)) return AppendSpans(*lane, range, out);
      break;
    case LaneKind::kInstants:
    case LaneKind::kLosses:
      if (auto* lane = InstantLaneOf(index, id)) return AppendInstants(*lane, range, out);
      break;
    case LaneKind::kCounter:
      if (id.number < index.counters().size()) {
        return AppendSamples(index.counters()[id.number].samples, range, out);
      }
      break;
  }
  out.append(4, '\0');
}

// The interval that contains a time, and the one before it. `summary` is set instead if the chunk
// has only a summary.
struct Found {
  std::optional<Interval> before;
  std::optional<Interval> here;
  std::optional<ChunkSummary> summary;
};

Found IntervalAt(const IntervalLanes& lanes, uint32_t lane, uint64_t time) {
  Found found;
  // At most one interval overlaps [time, time + 1).
  const auto look = [&](uint64_t from, uint64_t to, std::optional<Interval>& into) {
    lanes.Visit(
        lane, from, to, 0, [&](const Interval& interval) { into = interval; },
        [&](const ChunkSummary& summary) { found.summary = summary; });
  };
  look(time, time + (time != UINT64_MAX), found.here);
  if (found.here && found.here->begin > 0)
    look(found.here->begin - 1, found.here->begin, found.before);
  return found;
}

void PutWaker(JsonWriter& json, TraceIndex& index, const Interval& sleep) {
  json.Key("woken").BeginObject();
  PutNumber(json, "time", Relative(index, sleep.end));
  json.Bool("interrupt", sleep.by_interrupt);
  if (sleep.value < index.threads().size()) {
    json.Key("thread");
    PutThread(json, index, sleep.value);
  }
  json.EndObject();
}

bool IsSleep(LaneState state) {
  return state == LaneState::kSleep || state == LaneState::kBlocked ||
         state == LaneState::kStopped || state == LaneState::kAbsent ||
         state == LaneState::kUnknown;
}

// Writes the wakeup that ends a sleep, or the one before the wait or run. For a run after a wakeup
// also writes the wait for the CPU.
void PutWakeup(JsonWriter& json, TraceIndex& index, uint32_t lane, const Found& found) {
  const Interval& here = *found.here;
  if (IsSleep(here.state)) {
    if (here.value != Interval::kNone || here.by_interrupt) PutWaker(json, index, here);
    return;
  }
  std::optional<Interval> sleep = found.before;
  if (here.state == LaneState::kRun && sleep && sleep->state == LaneState::kWakeup) {
    PutNumber(json, "runnable", static_cast<int64_t>(sleep->end - sleep->begin));
    const Found woken = IntervalAt(index.intervals(), lane, sleep->begin);
    sleep = woken.before;
  }
  if (!sleep || !IsSleep(sleep->state)) return;
  if (sleep->value != Interval::kNone || sleep->by_interrupt) PutWaker(json, index, *sleep);
}

void PutStateAt(JsonWriter& json, TraceIndex& index, const LaneId& id, uint64_t time) {
  const uint32_t lane = IntervalLaneOf(index, id);
  if (lane == kNoLane) return;
  const Found found = IntervalAt(index.intervals(), lane, time);
  if (!found.here) {
    if (!found.summary) return;
    PutNumber(json, "begin", Relative(index, found.summary->begin));
    PutNumber(json, "end", Relative(index, found.summary->end));
    json.Key("shares").BeginArray();
    for (const uint8_t share : found.summary->share) json.Unsigned(share);
    json.EndArray();
    return;
  }
  const Interval& here = *found.here;
  PutNumber(json, "begin", Relative(index, here.begin));
  PutNumber(json, "end", Relative(index, here.end));
  json.Unsigned("state", static_cast<uint64_t>(here.state));
  json.Bool("cut", here.is_cut);
  if (here.object != 0) json.String("object", index.labels().Text(here.object));
  const bool is_cpu = id.kind == LaneKind::kCpu;
  if (here.state == LaneState::kRun && !is_cpu) json.Unsigned("cpu", here.value);
  if (is_cpu && here.value < index.threads().size()) {
    json.Key("thread");
    PutThread(json, index, here.value);
    const uint32_t states = index.threads()[here.value].states;
    if (states == kNoLane) return;
    const Found its = IntervalAt(index.intervals(), states, here.begin);
    if (its.here) PutWakeup(json, index, states, its);
    return;
  }
  if (here.state == LaneState::kPreempted && here.value < index.threads().size()) {
    json.Key("preemptor");
    PutThread(json, index, here.value);
  }
  if (!is_cpu) PutWakeup(json, index, lane, found);
}

void PutSpan(JsonWriter& json, const TraceIndex& index, const Span& span) {
  PutNumber(json, "begin", Relative(index, span.begin));
  PutNumber(json, "end", Relative(index, span.end));
  json.Unsigned("depth", span.depth);
  json.String("name", index.labels().Text(span.name));
  json.String("category", index.labels().Text(span.category));
  json.String("args", index.labels().Text(span.args));
  json.Bool("beganBefore", span.began_before != 0);
  json.Bool("endedAfter", span.ended_after != 0);
}

// Writes a point of a flow and its enclosing span.
void PutFlowPoint(JsonWriter& json, TraceIndex& index, const FlowPoint& point) {
  json.BeginObject();
  PutNumber(json, "time", Relative(index, point.time));
  json.Key("thread");
  PutThread(json, index, point.thread);
  if (const Span* span = index.threads()[point.thread].spans.InnermostAt(point.time)) {
    json.Key("span").BeginObject();
    PutNumber(json, "begin", Relative(index, span->begin));
    PutNumber(json, "end", Relative(index, span->end));
    json.Unsigned("depth", span->depth);
    json.String("name", index.labels().Text(span->name)).EndObject();
  }
  json.EndObject();
}

// Writes the flows of a thread's span with their previous and next points.
void PutFlows(JsonWriter& json, TraceIndex& index, uint32_t thread, const Span& span) {
  constexpr size_t kMost = 50;
  SpanLane& lane = index.threads()[thread].spans;
  size_t count = 0;
  size_t all = 0;
  json.Key("flows").BeginArray();
  for (const FlowPoint& point : index.flows().Of(thread, span.begin, span.end)) {
    // Skips points that belong to nested or adjacent spans.
    if (lane.InnermostAt(point.time) != &span) continue;
    ++all;
    if (count == kMost) continue;
    ++count;
    json.BeginObject().String("name", index.labels().Text(point.name));
    json.String("category", index.labels().Text(point.category));
    json.Key("id").String(fmt::to_string(point.id));
    PutNumber(json, "time", Relative(index, point.time));
    if (point.previous != FlowPoint::kNone) {
      json.Key("from");
      PutFlowPoint(json, index, index.flows().Sorted()[point.previous]);
    }
    if (point.next != FlowPoint::kNone) {
      json.Key("to");
      PutFlowPoint(json, index, index.flows().Sorted()[point.next]);
    }
    json.EndObject();
  }
  json.EndArray().Unsigned("flowCount", all);
}

// `thread`: the owner of the spans; kNoLane for asynchronous operations.
void PutSpanAt(JsonWriter& json, TraceIndex& index, SpanLane& lane, uint32_t thread, uint64_t time,
               uint32_t depth) {
  const auto& spans = lane.Sorted();
  const Span* best = nullptr;
  for (size_t i = lane.FirstEndingAfter(time == 0 ? 0 : time - 1); i < spans.size(); ++i) {
    const Span& span = spans[i];
    if (span.begin > time) break;
    if (span.depth == depth && (span.end > time || span.begin == time)) best = &span;
  }
  if (best == nullptr) return;
  PutSpan(json, index, *best);
  if (thread != kNoLane && !index.flows().empty()) PutFlows(json, index, thread, *best);
}

void PutInstantsAt(JsonWriter& json, TraceIndex& index, PointLane<Instant>& lane, uint64_t from,
                   uint64_t to) {
  constexpr size_t kMost = 50;
  const auto& all = lane.Sorted();
  json.Key("instants").BeginArray();
  size_t count = 0;
  for (size_t i = lane.FirstFrom(from); i < all.size() && all[i].time <= to && count < kMost;
       ++i, ++count) {
    json.BeginObject();
    PutNumber(json, "time", Relative(index, all[i].time));
    json.String("name", index.labels().Text(all[i].name));
    json.String("category", index.labels().Text(all[i].category));
    json.String("args", index.labels().Text(all[i].args)).EndObject();
  }
  json.EndArray();
}

void PutSampleAt(JsonWriter& json, const TraceIndex& index, CounterTrack& track, uint64_t time) {
  const auto& all = track.samples.Sorted();
  const size_t after = track.samples.FirstFrom(time == UINT64_MAX ? time : time + 1);
  if (after == 0) return;
  const Sample& sample = all[after - 1];
  PutNumber(json, "begin", Relative(index, sample.time));
  PutNumber(json, "end", Relative(index, after < all.size() ? all[after].time : index.end()));
  json.Key("value").Double(sample.value);
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// True if `text` contains `lower`, ignoring case (ASCII). `lower` must be in lower case.
bool Has(std::string_view text, std::string_view lower) {
  return std::search(text.begin(), text.end(), lower.begin(), lower.end(),
                     [](char a, char b) { return Lower(a) == b; }) != text.end();
}

struct Hit {
  uint64_t time = 0;
  uint64_t end = 0;
  LaneId lane;
  uint32_t name = 0;
  uint16_t depth = 0;
  bool operator<(const Hit& other) const { return time < other.time; }
};

// Keeps the earliest kMaxHits hits and counts all.
struct Hits {
  std::priority_queue<Hit> kept;
  uint64_t all = 0;

  void Add(const Hit& hit) {
    ++all;
    if (kept.size() < Answers::kMaxHits) return kept.push(hit);
    if (hit.time >= kept.top().time) return;
    kept.pop();
    kept.push(hit);
  }
};

void CollectHits(TraceIndex& index, const std::vector<bool>& fits, uint64_t from, Hits& hits) {
  const auto is_hit = [&](const auto& one) {
    return fits[one.name] || fits[one.args] || fits[one.category];
  };
  const auto add_spans = [&](SpanLane& lane, const LaneId& id) {
    for (const Span& span : lane.Sorted()) {
      if (span.begin >= from && is_hit(span)) {
        hits.Add({span.begin, span.end, id, span.name, span.depth});
      }
    }
  };
  const auto add_instants = [&](PointLane<Instant>& lane, const LaneId& id) {
    for (const Instant& instant : lane.Sorted()) {
      if (instant.time >= from && is_hit(instant)) {
        hits.Add({instant.time, instant.time, id, instant.name, 0});
      }
    }
  };
  for (uint32_t i = 0; i < index.threads().size(); ++i) {
    add_spans(index.threads()[i].spans, {LaneKind::kSpans, i});
    add_instants(index.threads()[i].instants, {LaneKind::kInstants, i});
  }
  for (uint32_t i = 0; i < index.loss_tracks().size(); ++i) {
    add_spans(index.loss_tracks()[i].gaps, {LaneKind::kGaps, i});
    add_instants(index.loss_tracks()[i].losses, {LaneKind::kLosses, i});
  }
  for (uint32_t i = 0; i < index.async_tracks().size(); ++i) {
    add_spans(index.async_tracks()[i].spans, {LaneKind::kAsync, i});
  }
}

uint64_t RunTime(const TraceIndex& index, const ThreadLanes& thread, uint64_t begin, uint64_t end) {
  if (thread.states == kNoLane) return 0;
  uint64_t run = 0;
  const auto overlap = [&](uint64_t from, uint64_t to) {
    return std::min(to, end) - std::max(from, begin);
  };
  index.intervals().Visit(
      thread.states, begin, end, (end - begin) / 1000,
      [&](const Interval& interval) {
        if (interval.state == LaneState::kRun) run += overlap(interval.begin, interval.end);
      },
      [&](const ChunkSummary& summary) {
        run += static_cast<uint64_t>(static_cast<double>(overlap(summary.begin, summary.end)) *
                                     summary.share[0] / 255);
      });
  return run;
}

bool HasEvents(ThreadLanes& thread, uint64_t begin, uint64_t end) {
  const auto& instants = thread.instants.Sorted();
  const size_t next = thread.instants.FirstFrom(begin);
  if (next < instants.size() && instants[next].time < end) return true;
  const auto& spans = thread.spans.Sorted();
  for (size_t i = thread.spans.FirstEndingAfter(begin); i < spans.size(); ++i) {
    if (spans[i].begin >= end) return false;
    if (spans[i].end > begin) return true;
  }
  return false;
}

std::string IdText(const LaneId& id) {
  return fmt::format("{}{}", static_cast<char>(id.kind), id.number);
}

}  // namespace

uint64_t Answers::Absolute(int64_t time) const {
  return trace_.With([&](TraceIndex& index) { return AbsoluteOf(index, time); });
}

std::string Answers::Status() const {
  // Read before the index, which may become complete in between.
  const bool is_complete = trace_.is_complete();
  const std::string index_note = trace_.index_note();
  return trace_.With([&](TraceIndex& index) {
    fmt::memory_buffer out;
    JsonWriter json(out);
    json.BeginObject();
    json.Bool("complete", is_complete).Unsigned("progress", trace_.progress());
    json.String("file", text::CleanText(trace_.path().substr(trace_.path().rfind('/') + 1)));
    json.Key("clock").String(fmt::to_string(FirstOf(index)));
    PutNumber(json, "begin", Relative(index, index.begin()));
    PutNumber(json, "end", Relative(index, index.end()));
    json.Unsigned("intervals", index.intervals().intervals());
    json.Key("notes").BeginArray();
    for (const std::string& note : index.Notes()) json.String(note);
    if (!trace_.damage().empty()) json.String("the file is damaged: " + trace_.damage());
    if (!index_note.empty()) json.String(index_note);
    json.EndArray().EndObject();
    return Text(out);
  });
}

std::string Answers::Lanes() const {
  return trace_.With([&](TraceIndex& index) {
    fmt::memory_buffer out;
    JsonWriter json(out);
    json.BeginObject().Key("cpus").BeginArray();
    for (uint32_t cpu = 0; cpu < index.cpu_lanes().size(); ++cpu) {
      if (index.cpu_lanes()[cpu] != kNoLane) json.Unsigned(cpu);
    }
    json.EndArray().Key("losses").BeginArray();
    for (uint32_t i = 0; i < index.loss_tracks().size(); ++i) {
      const LossTrack& track = index.loss_tracks()[i];
      json.BeginObject().Unsigned("number", i);
      if (track.cpu) json.Unsigned("cpu", *track.cpu);
      json.Bool("gaps", !track.gaps.empty()).Bool("losses", !track.losses.empty()).EndObject();
    }
    json.EndArray().Key("processes").BeginArray();
    size_t room = kMaxThreads;
    size_t all = 0;
    for (const ProcessRow& process : RowsOf(index)) {
      all += process.threads.size();
      if (room != 0) PutProcess(json, index, process, room);
    }
    json.EndArray().Unsigned("threads", all).Unsigned("left_out", all - (kMaxThreads - room));
    json.EndObject();
    return Text(out);
  });
}

std::string Answers::Tile(const QueryString& query) const {
  const auto from = query.Get<int64_t>("from");
  const auto to = query.Get<int64_t>("to");
  const auto pixel = query.Get<uint64_t>("pixel");
  if (!from || !to || !pixel || *pixel == 0 || *to <= *from) return "";
  // Tiles are limited to 4,096 pixels.
  const uint64_t length = static_cast<uint64_t>(*to) - static_cast<uint64_t>(*from);
  const std::string lanes = query.Text("lanes");
  return trace_.With([&](TraceIndex& index) {
    const TileRange range{.origin = FirstOf(index),
                          .from = AbsoluteOf(index, *from),
                          .to = AbsoluteOf(index, *to),
                          .pixel = std::max(*pixel, length / 4096)};
    std::string out;
    size_t count = 0;
    for (std::string_view rest = lanes; !rest.empty() && count < kMaxTileLanes; ++count) {
      const std::string_view part = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), part.size() + 1));
      if (const auto id = ParseLaneId(part)) {
        AppendLane(index, *id, range, out);
      } else {
        out.append(4, '\0');
      }
    }
    return out;
  });
}

std::string Answers::Labels(const QueryString& query) const {
  const std::string ids = query.Text("ids");
  return trace_.With([&](TraceIndex& index) {
    fmt::memory_buffer out;
    JsonWriter json(out);
    json.BeginArray();
    for (std::string_view rest = ids; !rest.empty();) {
      const std::string_view part = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), part.size() + 1));
      uint32_t id = 0;
      std::from_chars(part.data(), part.data() + part.size(), id);
      json.String(index.labels().Text(id));
    }
    json.EndArray();
    return Text(out);
  });
}

std::string Answers::At(const QueryString& query) const {
  const auto id = ParseLaneId(query.Text("lane"));
  const auto relative = query.Get<int64_t>("time");
  if (!id || !relative) return "{}";
  return trace_.With([&](TraceIndex& index) {
    const uint64_t time = AbsoluteOf(index, *relative);
    fmt::memory_buffer out;
    JsonWriter json(out);
    json.BeginObject();
    switch (id->kind) {
      case LaneKind::kCpu:
      case LaneKind::kStates:
        PutStateAt(json, index, *id, time);
        break;
      case LaneKind::kSpans:
      case LaneKind::kAsync:
      case LaneKind::kGaps:
        if (SpanLane* lane = SpanLaneOf(index, *id)) {
          const uint32_t thread = id->kind == LaneKind::kSpans ? id->number : kNoLane;
          PutSpanAt(json, index, *lane, thread, time, query.Get<uint32_t>("depth").value_or(0));
        }
        break;
      case LaneKind::kInstants:
      case LaneKind::kLosses:
        if (auto* lane = InstantLaneOf(index, *id)) {
          const auto until = query.Get<int64_t>("until");
          PutInstantsAt(json, index, *lane, time, until ? AbsoluteOf(index, *until) : time);
        }
        break;
      case LaneKind::kCounter:
        if (id->number < index.counters().size()) {
          PutSampleAt(json, index, index.counters()[id->number], time);
        }
        break;
    }
    json.EndObject();
    return Text(out);
  });
}

std::string Answers::Busy(const QueryString& query) const {
  const auto from = query.Get<int64_t>("from");
  const auto to = query.Get<int64_t>("to");
  if (!from || !to) return "[]";
  return trace_.With([&](TraceIndex& index) {
    const uint64_t begin = AbsoluteOf(index, *from);
    const uint64_t end = AbsoluteOf(index, *to);
    fmt::memory_buffer out;
    JsonWriter json(out);
    json.BeginArray();
    for (uint32_t i = 0; i < index.threads().size(); ++i) {
      ThreadLanes& thread = index.threads()[i];
      const uint64_t run = RunTime(index, thread, begin, end);
      if (run == 0 && !HasEvents(thread, begin, end)) continue;
      json.BeginArray().Unsigned(i).Json(fmt::to_string(run)).EndArray();
    }
    json.EndArray();
    return Text(out);
  });
}

std::string Answers::Find(const QueryString& query) const {
  std::string wanted = query.Text("text");
  std::transform(wanted.begin(), wanted.end(), wanted.begin(), Lower);
  const auto from = query.Get<int64_t>("from");
  if (wanted.empty()) return "{}";
  return trace_.With([&](TraceIndex& index) {
    std::vector<bool> fits(index.labels().size());
    for (uint32_t i = 1; i < fits.size(); ++i) fits[i] = Has(index.labels().Text(i), wanted);
    Hits hits;
    CollectHits(index, fits, from ? AbsoluteOf(index, *from) : 0, hits);
    std::vector<Hit> sorted;
    for (; !hits.kept.empty(); hits.kept.pop()) sorted.push_back(hits.kept.top());
    std::reverse(sorted.begin(), sorted.end());

    fmt::memory_buffer out;
    JsonWriter json(out);
    json.BeginObject().Unsigned("count", hits.all).Key("hits").BeginArray();
    for (const Hit& hit : sorted) {
      json.Line().BeginObject().String("lane", IdText(hit.lane));
      PutNumber(json, "begin", Relative(index, hit.time));
      PutNumber(json, "end", Relative(index, hit.end));
      json.Unsigned("depth", hit.depth);
      json.String("name", index.labels().Text(hit.name)).EndObject();
    }
    json.EndArray().EndObject();
    return Text(out);
  });
}

}  // namespace view
