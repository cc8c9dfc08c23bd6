// SPDX-License-Identifier: BSD-2-Clause
#include "view/trace_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "facts/recorder_facts.h"
#include "facts/scheduling.h"
#include "schema/koid.h"
#include "schema/names.h"
#include "text/argument_json.h"

namespace view {
namespace {

std::optional<double> NumberOfValue(const fxt::ArgumentValue& value) {
  if (const auto* v = std::get_if<int32_t>(&value)) return *v;
  if (const auto* v = std::get_if<uint32_t>(&value)) return *v;
  if (const auto* v = std::get_if<int64_t>(&value)) return static_cast<double>(*v);
  if (const auto* v = std::get_if<uint64_t>(&value)) return static_cast<double>(*v);
  const auto* v = std::get_if<double>(&value);
  return v == nullptr || !std::isfinite(*v) ? std::nullopt : std::optional(*v);
}

// Limit of a name in a saved index.
constexpr size_t kMaxNameBytes = size_t{1} << 20;

// Names of events, as shown in the page.
constexpr std::string_view kLostEvents = "lost events";
constexpr std::string_view kHiddenSwitch = "hidden switch";
constexpr std::string_view kBufferFull = "buffer full";

std::string_view NameOf(facts::Gap::Why why) {
  switch (why) {
    case facts::Gap::Why::kLost:
      return kLostEvents;
    case facts::Gap::Why::kUnseen:
      return kHiddenSwitch;
    case facts::Gap::Why::kFiltered:
      break;
  }
  return "left out";
}

}  // namespace

TraceIndex::TraceIndex(const IndexLimits& limits)
    : limits_(limits),
      shared_{.limit = limits.tables},
      texts_(limits.tables, &shared_),
      names_(texts_, &shared_),
      intervals_(limits.all),
      events_{.max_bytes = limits.events},
      labels_(limits.labels),
      // Each thread has lanes here and one in IntervalLanes.
      thread_numbers_(tables::TaskNames::kMaxTasks, &shared_, 2 * sizeof(ThreadLanes) + 512),
      open_(size_t{32} << 20),
      timeline_(facts_, &shared_, 64) {}

uint64_t TraceIndex::begin() const {
  if (saved_) return saved_->begin;
  const uint64_t events = earliest_event_ == UINT64_MAX ? first_.value_or(0) : earliest_event_;
  const uint64_t scheduling = timeline_.latest() == 0 ? events : timeline_.begin();
  return std::min(events, scheduling);
}

uint32_t TraceIndex::NumberOf(fxt::Koid koid) {
  const uint32_t number = thread_numbers_.Add(koid);
  if (number == facts::KoidIndex::kNone) return kNoLane;
  if (number >= threads_.size()) {
    threads_.resize(number + 1);
    threads_[number].koid = koid;
  }
  return number;
}

uint32_t TraceIndex::AddScheduled(facts::ThreadIndex index, fxt::Koid koid) {
  const uint32_t number = NumberOf(koid);
  if (number == kNoLane || index == facts::kNoThread) return kNoLane;
  if (index >= scheduled_.size()) scheduled_.resize(index + 1, kNoLane);
  scheduled_[index] = number;
  if (threads_[number].states == kNoLane) threads_[number].states = intervals_.AddLane();
  return number;
}

void TraceIndex::AddToCpu(uint32_t cpu, const Interval& interval) {
  if (cpu >= cpu_lanes_.size()) {
    if (cpu >= kMaxCpus) return;
    cpu_lanes_.resize(cpu + 1, kNoLane);
  }
  if (cpu_lanes_[cpu] == kNoLane) cpu_lanes_[cpu] = intervals_.AddLane();
  intervals_.Append(cpu_lanes_[cpu], interval);
}

void TraceIndex::AddGap(const facts::Gap& gap) {
  AddToCpu(gap.cpu,
           {.begin = gap.begin, .end = gap.end, .state = LaneState::kUnknown, .is_cut = true});
  if (gap.begin == gap.end) return;
  LossTrack* track = LossTrackOf(gap.cpu);
  if (track == nullptr) return;
  track->gaps.Add({.begin = gap.begin,
                   .end = gap.end,
                   .name = labels_.Add(NameOf(gap.why)),
                   .ended_after = gap.ended == facts::Bound::kFileEdge},
                  events_);
}

LossTrack* TraceIndex::LossTrackOf(const std::optional<uint32_t>& cpu) {
  auto found = loss_numbers_.find(cpu);
  if (found == loss_numbers_.end()) {
    if (loss_tracks_.size() >= kMaxTracks) {
      ++tracks_left_out_;
      return nullptr;
    }
    found = loss_numbers_.emplace(cpu, static_cast<uint32_t>(loss_tracks_.size())).first;
    loss_tracks_.push_back({.cpu = cpu, .gaps = {}, .losses = {}});
  }
  return &loss_tracks_[found->second];
}

void TraceIndex::PutLoss(const std::optional<uint32_t>& cpu, const Instant& loss) {
  if (LossTrack* track = LossTrackOf(cpu)) track->losses.Add(loss, events_);
}

void TraceIndex::AddLoss(const fxt::Event& event, uint64_t time) {
  if (event.category.text != schema::kRecorderName) return;
  const auto number = [](const std::optional<int32_t>& cpu) {
    return cpu && *cpu >= 0 ? std::optional(static_cast<uint32_t>(*cpu)) : std::nullopt;
  };
  Instant mark{.time = time, .args = 0, .category = labels_.Add(event.category.text)};
  if (const auto loss = facts::AsLoss(event)) {
    mark.name = labels_.Add(kLostEvents);
    mark.args = ArgumentsOf(event);
    return PutLoss(number(loss->cpu), mark);
  }
  const auto cpu = facts::AsUnseenSwitch(event);
  if (!cpu || !names_.is_kernels()) return;
  mark.name = labels_.Add(kHiddenSwitch);
  PutLoss(number(cpu), mark);
}

void TraceIndex::AddRun(const facts::Run& run) {
  names_.NoteThread(run.thread, run.process, run.begin, false);
  PutRun(run.index, run.thread, run.cpu, run.begin, run.end, IsCut(run.began, run.ended));
}

void TraceIndex::AddWait(const facts::Wait& wait) {
  Interval interval{.begin = wait.begin,
                    .end = wait.end,
                    .state = LaneStateOf(wait.kind),
                    .by_interrupt = wait.ends_in_wakeup() && wait.end_by_interrupt,
                    .is_cut = IsCut(wait.began, wait.ended) || wait.touches_loss};
  if (wait.kind == facts::WaitKind::kPreempted) {
    interval.value = NumberOf(wait.preemptor);
  } else if (wait.ends_in_wakeup()) {
    interval.value = NumberOf(wait.end_waker);
  }
  if (wait.object != nullptr) interval.object = labels_.Add(wait.object->Text());
  AddToThread(wait.index, wait.thread, interval);
}

void TraceIndex::Add(const fxt::Reader& reader) {
  const fxt::Record& record = reader.record();
  const auto time = facts::TimeOf(record, reader.provider());
  if (time && !first_) first_ = *time;
  timeline_.Add(reader);
  if (std::holds_alternative<fxt::LegacyContextSwitch>(record)) return;
  names_.Note(reader);
  ShareMemory();
  if (const auto* event = std::get_if<fxt::Event>(&record)) {
    AddEvent(reader, *event);
  } else if (const auto* log = std::get_if<fxt::Log>(&record)) {
    PutInstant(log->thread.thread,
               {.time = *time, .name = labels_.Add(log->message), .category = labels_.Add("log")});
  } else if (const auto* filled = std::get_if<fxt::ProviderEvent>(&record)) {
    // Not those of the recorder, which are followed by more detailed events.
    if (filled->event == fxt::kProviderEventBufferFilledUp &&
        reader.provider().name() != schema::kRecorderName) {
      const uint64_t before = std::max(timeline_.latest(), latest_event_);
      PutLoss(std::nullopt, {.time = before,
                             .name = labels_.Add(kBufferFull),
                             .category = labels_.Add(reader.provider().name())});
    }
  }
}

void TraceIndex::ShareMemory() {
  const size_t others = labels_.bytes() + shared_.used;
  intervals_.SetMaxBytes(limits_.all - std::min(limits_.all, events_.bytes + others));
  const size_t taken = std::min(limits_.all, intervals_.bytes() + others);
  events_.max_bytes = std::max(events_.bytes, std::min(limits_.events, limits_.all - taken));
}

uint32_t TraceIndex::ArgumentsOf(const fxt::Event& event) {
  if (event.arguments.empty()) return 0;
  fmt::memory_buffer members;
  text::AppendMembers(members, event.arguments);
  return labels_.Add({members.data(), members.size()});
}

void TraceIndex::AddEvent(const fxt::Reader& reader, const fxt::Event& event) {
  const uint64_t time = reader.ToNanoseconds(event.timestamp);
  earliest_event_ = std::min(earliest_event_, time);
  latest_event_ = std::max(latest_event_, time);
  owner_ = names_.is_kernels() ? 0 : uint64_t{reader.provider().id()} + 1;
  names_.NoteThread(event.thread.thread, event.thread.process, time, false);
  switch (event.type) {
    case fxt::EventType::kInstant:
    case fxt::EventType::kAsyncInstant:
      if (facts::IsLinuxState(event)) return;
      if (event.type == fxt::EventType::kInstant) AddLoss(event, time);
      return PutInstant(event.thread.thread, {.time = time,
                                              .name = labels_.Add(event.name.text),
                                              .args = ArgumentsOf(event),
                                              .category = labels_.Add(event.category.text)});
    case fxt::EventType::kCounter:
      return AddCounter(event, time);
    case fxt::EventType::kFlowBegin:
      return AddFlow(event, time, FlowPoint::Kind::kBegin);
    case fxt::EventType::kFlowStep:
      return AddFlow(event, time, FlowPoint::Kind::kStep);
    case fxt::EventType::kFlowEnd:
      return AddFlow(event, time, FlowPoint::Kind::kEnd);
    default:
      return AddSpanEvent(reader, event, time);
  }
}

void TraceIndex::AddFlow(const fxt::Event& event, uint64_t time, FlowPoint::Kind kind) {
  const uint32_t number = NumberOf(event.thread.thread);
  if (number == kNoLane) return;
  flows_.Add({.time = time,
              .id = event.payload,
              .thread = number,
              .category = labels_.Add(event.category.text),
              .name = labels_.Add(event.name.text),
              .kind = kind},
             events_);
}

void TraceIndex::PutInstant(fxt::Koid thread, const Instant& instant) {
  latest_event_ = std::max(latest_event_, instant.time);
  const uint32_t number = NumberOf(thread);
  if (number != kNoLane) threads_[number].instants.Add(instant, events_);
}

void TraceIndex::AddCounter(const fxt::Event& event, uint64_t time) {
  const uint32_t name = labels_.Add(event.name.text);
  // A counter belongs to its process, not to the emitting thread.
  const auto process = names_.ProcessOf(event.thread.thread, event.thread.process);
  for (const fxt::Argument& series : event.arguments) {
    const auto value = NumberOfValue(series.value);
    if (!value) continue;
    const uint32_t series_name = labels_.Add(series.name.text);
    const std::tuple key(name, series_name, event.payload, process.value_or(0));
    auto found = counter_numbers_.find(key);
    if (found == counter_numbers_.end()) {
      if (counters_.size() >= kMaxTracks) {
        ++tracks_left_out_;
        continue;
      }
      found = counter_numbers_.emplace(key, static_cast<uint32_t>(counters_.size())).first;
      counters_.push_back({name, series_name, event.payload, process, {}});
    }
    counters_[found->second].samples.Add({time, *value}, events_);
  }
}

void TraceIndex::AddSpanEvent(const fxt::Reader& reader, const fxt::Event& event, uint64_t time) {
  const bool is_async =
      event.type == fxt::EventType::kAsyncBegin || event.type == fxt::EventType::kAsyncEnd;
  facts::OpenSpan span{.time = time,
                       .thread = event.thread,
                       .category = std::string(event.category.text),
                       .name = std::string(event.name.text),
                       .members = "",
                       .cpu = std::nullopt,
                       .id = is_async ? std::optional(event.payload) : std::nullopt,
                       .owner = owner_};
  if (!event.arguments.empty()) {
    fmt::memory_buffer members;
    text::AppendMembers(members, event.arguments);
    span.members = fmt::to_string(members);
  }
  if (event.type == fxt::EventType::kDurationBegin || event.type == fxt::EventType::kAsyncBegin) {
    return open_.Begin(std::move(span));
  }
  if (event.type == fxt::EventType::kDurationComplete) {
    const uint64_t end = std::max(time, reader.ToNanoseconds(event.payload));
    latest_event_ = std::max(latest_event_, end);
    return PutSpan(span, end, false, false);
  }
  auto begun = open_.End(owner_, event);
  if (!begun) {
    span.time = std::min(first_.value_or(time), time);
    return PutSpan(span, time, true, false);
  }
  if (!begun->members.empty() && !span.members.empty()) begun->members += ',';
  begun->members += span.members;
  PutSpan(*begun, std::max(time, begun->time), false, false);
}

void TraceIndex::PutSpan(const facts::OpenSpan& span, uint64_t end, bool began_before,
                         bool ended_after) {
  const Span put{.begin = span.time,
                 .end = end,
                 .name = labels_.Add(span.name),
                 .args = labels_.Add(span.members),
                 .category = labels_.Add(span.category),
                 .began_before = began_before,
                 .ended_after = ended_after};
  if (!span.id) {
    const uint32_t number = NumberOf(span.thread.thread);
    if (number != kNoLane) threads_[number].spans.Add(put, events_);
    return;
  }
  const auto process = names_.ProcessOf(span.thread.thread, span.thread.process);
  // All requests to a block device share a track.
  const bool is_device =
      process == schema::kDeviceProcessKoid && !names_.NumberOf(schema::kDeviceProcessKoid);
  const std::tuple key(put.category, is_device ? 0 : put.name,
                       is_device ? span.thread.thread : process.value_or(0));
  auto found = async_numbers_.find(key);
  if (found == async_numbers_.end()) {
    if (async_tracks_.size() >= kMaxTracks) {
      ++tracks_left_out_;
      return;
    }
    found = async_numbers_.emplace(key, static_cast<uint32_t>(async_tracks_.size())).first;
    async_tracks_.push_back({put.category, put.name, process, std::nullopt, {}});
    if (is_device) async_tracks_.back().device = span.thread.thread;
    async_tracks_.back().spans.SetOverlapping();
  }
  async_tracks_[found->second].spans.Add(put, events_);
}

void TraceIndex::Finish() {
  timeline_.Finish(timeline_.latest());
  const uint64_t last = end();
  for (const facts::OpenSpan& span : open_.Take()) {
    PutSpan(span, std::max(last, span.time), false, true);
  }
}

std::vector<std::string> TraceIndex::Notes() const {
  if (saved_) return saved_notes_;
  std::vector<std::string> notes;
  if (intervals_.summarized() != 0) {
    notes.push_back(fmt::format(
        "{} of {} runs and waits are shown only as shares of time, from the time on at which {} MB "
        "were full; fxt trim makes a smaller file",
        intervals_.summarized(), intervals_.intervals(), limits_.all >> 20));
  }
  if (events_.left_out != 0) {
    notes.push_back(fmt::format(
        "{} spans, instants, values and points of flows are not shown: they exceed {} MB",
        events_.left_out, limits_.events >> 20));
  }
  if (labels_.left_out() != 0) {
    notes.push_back(fmt::format("{} names or arguments are not shown: they exceed {} MB",
                                labels_.left_out(), limits_.labels >> 20));
  }
  if (tracks_left_out_ != 0) {
    notes.push_back(fmt::format("{} spans and values are not shown: there are more than {} tracks",
                                tracks_left_out_, kMaxTracks));
  }
  if (open_.left_out() != 0) {
    notes.push_back(
        fmt::format("{} spans are not shown: too many are open at once", open_.left_out()));
  }
  if (names_.is_full() || timeline_.is_full() || thread_numbers_.is_full()) {
    notes.push_back("some threads or names are missing: the memory limit is reached");
  }
  return notes;
}

void TraceIndex::SaveNames(IndexWriter& out) {
  const auto put_name = [&](fxt::Koid koid, const std::string* name) {
    out.Put(koid);
    out.Put<uint8_t>(name != nullptr ? 1 : 0);
    out.PutText(name != nullptr ? std::string_view(*name) : std::string_view());
  };
  out.Put<uint8_t>(names_.has_ours() ? 1 : 0);
  out.Put<uint64_t>(names_.processes().size());
  for (const auto& process : names_.processes()) put_name(process.koid, process.name);
  out.Put<uint64_t>(names_.threads().size());
  for (const auto& thread : names_.threads()) {
    put_name(thread.koid, thread.name);
    const auto process = tables::TaskNames::ProcessOf(thread);
    out.Put<uint8_t>(process ? 1 : 0);
    out.Put(process.value_or(0));
  }
}

bool TraceIndex::LoadNames(IndexReader& in) {
  fxt::Koid koid = 0;
  uint8_t has_name = 0;
  std::string name;
  const auto get_name = [&] {
    return in.Get(koid) && in.Get(has_name) && in.GetText(name) && name.size() <= kMaxNameBytes;
  };
  uint8_t has_ours = 0;
  uint64_t count = 0;
  if (!in.Get(has_ours) || !in.GetCount(count, sizeof koid)) return false;
  names_.RestoreOurs(has_ours != 0);
  for (; count != 0; --count) {
    if (!get_name()) return false;
    names_.RestoreProcess(koid, has_name != 0 ? &name : nullptr);
  }
  if (!in.GetCount(count, sizeof koid)) return false;
  for (; count != 0; --count) {
    uint8_t has_process = 0;
    fxt::Koid process = 0;
    if (!get_name() || !in.Get(has_process) || !in.Get(process)) return false;
    names_.RestoreThread(koid, has_name != 0 ? &name : nullptr,
                         has_process != 0 ? std::optional(process) : std::nullopt);
  }
  return true;
}

void TraceIndex::Save(IndexWriter& out, const std::function<void()>& between) {
  out.Put(Saved{.first = first_.value_or(0),
                .begin = begin(),
                .end = end(),
                .has_first = first_ ? uint64_t{1} : 0});
  const auto notes = Notes();
  out.Put<uint64_t>(notes.size());
  for (const std::string& note : notes) out.PutText(note);
  SaveNames(out);
  labels_.Save(out);
  out.PutAll(cpu_lanes_);
  out.Put<uint64_t>(threads_.size());
  for (ThreadLanes& thread : threads_) {
    between();
    out.Put(thread.koid);
    out.Put(thread.states);
    thread.spans.Save(out);
    thread.instants.Save(out);
  }
  const auto put_owner = [&](const std::optional<uint64_t>& owner) {
    out.Put<uint64_t>(owner ? 1 : 0);
    out.Put(owner.value_or(0));
  };
  out.Put<uint64_t>(async_tracks_.size());
  for (AsyncTrack& track : async_tracks_) {
    between();
    out.Put(track.category);
    out.Put(track.name);
    put_owner(track.process);
    put_owner(track.device);
    track.spans.Save(out);
  }
  out.Put<uint64_t>(counters_.size());
  for (CounterTrack& track : counters_) {
    between();
    out.Put(track.name);
    out.Put(track.series);
    out.Put(track.id);
    put_owner(track.process);
    track.samples.Save(out);
  }
  out.Put<uint64_t>(loss_tracks_.size());
  for (LossTrack& track : loss_tracks_) {
    between();
    put_owner(track.cpu);
    track.gaps.Save(out);
    track.losses.Save(out);
  }
  between();
  flows_.Save(out);
  intervals_.Save(out, between);
}

bool TraceIndex::LoadTracks(IndexReader& in) {
  uint64_t has_owner = 0;
  uint64_t owner = 0;
  const auto get_owner = [&](std::optional<uint64_t>& into) {
    if (!in.Get(has_owner) || !in.Get(owner)) return false;
    if (has_owner != 0) into = owner;
    return true;
  };
  uint64_t count = 0;
  if (!in.GetCount(count, sizeof(uint64_t)) || count > kMaxTracks) return false;
  async_tracks_.resize(count);
  for (AsyncTrack& track : async_tracks_) {
    track.spans.SetOverlapping();
    if (!in.Get(track.category) || !in.Get(track.name) || !get_owner(track.process) ||
        !get_owner(track.device) || !track.spans.Load(in, events_)) {
      return false;
    }
  }
  if (!in.GetCount(count, sizeof(uint64_t)) || count > kMaxTracks) return false;
  counters_.resize(count);
  for (CounterTrack& track : counters_) {
    if (!in.Get(track.name) || !in.Get(track.series) || !in.Get(track.id) ||
        !get_owner(track.process) || !track.samples.Load(in, events_)) {
      return false;
    }
  }
  if (!in.GetCount(count, sizeof(uint64_t)) || count > kMaxTracks) return false;
  loss_tracks_.resize(count);
  for (LossTrack& track : loss_tracks_) {
    std::optional<uint64_t> cpu;
    if (!get_owner(cpu) || !track.gaps.Load(in, events_) || !track.losses.Load(in, events_)) {
      return false;
    }
    if (cpu) track.cpu = static_cast<uint32_t>(*cpu);
  }
  return true;
}

bool TraceIndex::Load(IndexReader& in) {
  Saved saved;
  uint64_t count = 0;
  if (!in.Get(saved) || !in.GetCount(count, sizeof(uint64_t)) || count > kMaxNotes) return false;
  saved_ = saved;
  if (saved.has_first != 0) first_ = saved.first;
  saved_notes_.resize(count);
  for (std::string& note : saved_notes_) {
    if (!in.GetText(note)) return false;
  }
  if (!LoadNames(in) || !labels_.Load(in) || !in.GetAll(cpu_lanes_)) return false;
  if (cpu_lanes_.size() > kMaxCpus) return false;
  if (!in.GetCount(count, sizeof(uint64_t))) return false;
  for (; count != 0; --count) {
    fxt::Koid koid = 0;
    if (!in.Get(koid)) return false;
    const uint32_t number = NumberOf(koid);
    if (number == kNoLane) return false;
    ThreadLanes& thread = threads_[number];
    if (!in.Get(thread.states) || !thread.spans.Load(in, events_) ||
        !thread.instants.Load(in, events_)) {
      return false;
    }
  }
  if (!LoadTracks(in) || !flows_.Load(in, events_) || !intervals_.Load(in)) return false;
  return HasKnownNumbers();
}

// True if all numbers of lanes, labels and threads are valid.
bool TraceIndex::HasKnownNumbers() {
  const auto is_lane = [&](uint32_t lane) { return lane == kNoLane || lane < intervals_.lanes(); };
  const auto is_label = [&](uint32_t label) { return label < labels_.size(); };
  const auto has_labels = [&](const auto& one) {
    return is_label(one.name) && is_label(one.args) && is_label(one.category);
  };
  const auto all = [](const auto& list, const auto& fits) {
    return std::all_of(list.begin(), list.end(), fits);
  };
  return all(cpu_lanes_, is_lane) &&
         all(flows_.Sorted(),
             [&](const FlowPoint& point) {
               return point.thread < threads_.size() && is_label(point.name) &&
                      is_label(point.category);
             }) &&
         std::all_of(threads_.begin(), threads_.end(),
                     [&](ThreadLanes& thread) {
                       return is_lane(thread.states) && all(thread.spans.Sorted(), has_labels) &&
                              all(thread.instants.Sorted(), has_labels);
                     }) &&
         std::all_of(async_tracks_.begin(), async_tracks_.end(),
                     [&](AsyncTrack& track) {
                       return is_label(track.name) && all(track.spans.Sorted(), has_labels);
                     }) &&
         std::all_of(loss_tracks_.begin(), loss_tracks_.end(), [&](LossTrack& track) {
           return all(track.gaps.Sorted(), has_labels) && all(track.losses.Sorted(), has_labels);
         });
}

}  // namespace view
