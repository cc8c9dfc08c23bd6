// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/rewrite/trimmer.h"

#include <algorithm>
#include <array>

#include "branches/last_branch.h"
#include "facts/record_kind.h"
#include "facts/recorder_facts.h"
#include "facts/scheduling.h"
#include "facts/settings_event.h"
#include "schema/koid.h"
#include "schema/names.h"
#include "schema/stack_id.h"

namespace analyze {
namespace {

// Symbols from before the part are spread over this time before its begin, since Perfetto nests
// instants of equal time on a track and drops those deeper than 512.
constexpr uint64_t kLeadNs = 1000;
constexpr uint64_t kSymbolsPerNs = 256;

// True if the recording may have symbols: they come with the category of stacks.
bool HasStacks(const fxt::Event& session) {
  const auto categories = facts::TextOf(facts::FindArgument(session.arguments, "categories"));
  return categories && categories->find(schema::category::kStack) != std::string_view::npos;
}

bool IsSymbol(const fxt::Record& record) {
  const auto* event = std::get_if<fxt::Event>(&record);
  return event != nullptr && event->type == fxt::EventType::kInstant &&
         event->category.text == schema::category::kStack &&
         event->name.text == schema::symbol::kEvent;
}

}  // namespace

void Trimmer::Add(const fxt::Reader& reader) {
  const fxt::Record& record = reader.record();
  names_.Note(record);
  copier_.Note(reader);
  const auto* event = std::get_if<fxt::Event>(&record);
  if (event != nullptr && facts::IsSession(*event)) {
    AddSession(reader, *event);
    return;
  }
  if (event != nullptr && sections_.Has(reader) && facts::AsSettings(*event)) {
    return AddSettings(reader, *event);
  }
  std::optional<uint64_t> time = facts::TimeOf(record, reader.provider());
  if (const auto* blob = std::get_if<fxt::Blob>(&record)) {
    if (const auto view = branches::LastBranchView::Of(*blob))
      time = reader.ToNanoseconds(view->time());
  }
  if (time) {
    AddTimed(reader, *time);
  } else {
    AddUntimed(reader);
  }
  cpus_.Note(reader);
}

// Each part keeps the description of the recording, at the time where the part begins.
void Trimmer::AddSession(const fxt::Reader& reader, const fxt::Event& session) {
  const uint64_t time = reader.ToNanoseconds(session.timestamp);
  TimeRange& range = options_.filter.time;
  if (!range.started()) range.SetStart(time);
  fxt::Event event = session;
  // The recorder's ticks are nanoseconds.
  const uint64_t begin = std::max(event.timestamp, range.from());
  event.timestamp = begin;
  if (begin > session.timestamp && HasStacks(session)) {
    event.timestamp = std::max(session.timestamp, begin - std::min(begin, kLeadNs));
  }
  moved_time_ = event.timestamp;
  copier_.Write(reader, event);

  std::array<fxt::Argument, 3> arguments = {
      fxt::Argument{fxt::StringRef::Inline(schema::argument::kFrom), begin},
      fxt::Argument{fxt::StringRef::Inline("to"), range.to()},
      fxt::Argument{fxt::StringRef::Inline(schema::argument::kFilters),
                    fxt::StringRef::Inline(options_.description)}};
  event.name = fxt::StringRef::Inline(schema::event::kTrimmed);
  event.arguments = arguments;
  copier_.Write(reader, event);
}

// Each part keeps all settings, also those that were read after its end. They stand at their time,
// or at the edge of the part.
void Trimmer::AddSettings(const fxt::Reader& reader, const fxt::Event& settings) {
  TimeRange& range = options_.filter.time;
  if (!range.started()) range.SetStart(reader.ToNanoseconds(settings.timestamp));
  fxt::Event event = settings;
  // The recorder's ticks are nanoseconds.
  const uint64_t begin = range.from();
  if (event.timestamp < begin) {
    event.timestamp = std::min(begin, moved_time_.value_or(begin) + moved_symbols_ / kSymbolsPerNs);
  }
  event.timestamp = std::min(event.timestamp, range.to());
  copier_.Write(reader, event);
}

bool Trimmer::IsWanted(const fxt::Reader& reader, uint64_t time) {
  const fxt::Record& record = reader.record();
  const TimeRange& range = options_.filter.time;
  in_range_ = range.Contains(time);
  const auto* event = std::get_if<fxt::Event>(&record);
  const bool complete = event != nullptr && event->type == fxt::EventType::kDurationComplete;
  // An event with a duration belongs to all of its time.
  if (complete && time <= range.to() && reader.ToNanoseconds(event->payload) >= range.from()) {
    in_range_ = true;
  }
  // Modules, mappings and stacks explain later records.
  const facts::RecordKind kind = facts::KindOf(record);
  if ((kind == facts::RecordKind::kModule || kind == facts::RecordKind::kMmap ||
       kind == facts::RecordKind::kBacktrace || IsSymbol(record)) &&
      time <= range.to())
    return true;
  if (!in_range_) return false;
  if (event != nullptr && event->category.text == schema::kRecorderName) return true;
  const auto& cpus = options_.filter.cpus;
  if (!cpus.empty()) {
    const auto cpu = cpus_.CpuOf(reader);
    if (!cpu || !cpus.contains(*cpu)) return false;
  }
  return options_.filter.MatchesTasks(record, names_);
}

// Records from before the part that it needs are moved to its begin, symbols to the lead before it.
std::optional<fxt::Record> Trimmer::MovedToBegin(const fxt::Reader& reader) {
  const uint64_t begin = options_.filter.time.from();
  std::optional<fxt::Record> moved;
  // The recorder's ticks are nanoseconds; records of other programs may be out of order.
  if (reader.provider().name() != schema::kRecorderName) return moved;
  const auto move = [&](auto record) {
    if (record.timestamp >= begin) return;
    record.timestamp =
        std::min(begin, moved_time_.value_or(begin) + moved_symbols_ / kSymbolsPerNs);
    moved = record;
  };
  if (const auto* module = std::get_if<fxt::ProfilerModule>(&reader.record())) move(*module);
  if (const auto* mapping = std::get_if<fxt::ProfilerMmap>(&reader.record())) move(*mapping);
  if (const auto* stack = std::get_if<fxt::ProfilerBacktrace>(&reader.record())) move(*stack);
  if (IsSymbol(reader.record())) {
    move(std::get<fxt::Event>(reader.record()));
    if (moved) ++moved_symbols_;
  }
  return moved;
}

void Trimmer::AddTimed(const fxt::Reader& reader, uint64_t time) {
  const fxt::Record& record = reader.record();
  if (!options_.filter.time.started()) options_.filter.time.SetStart(time);
  const bool is_kernels = sections_.Has(reader);
  if (is_kernels) states_in_.Note(record);
  const auto* event = std::get_if<fxt::Event>(&record);
  // Written again where needed: the assumed state depends on earlier records.
  if (is_kernels && event != nullptr && facts::IsLinuxState(*event)) return;
  if (!IsWanted(reader, time)) return;

  if (event != nullptr) {
    const uint64_t owner = sections_.OwnerOf(reader.provider());
    if (spans_.Note(owner, *event) != facts::SpanTracker::Verdict::kFits) return;
    if (filled_up_ && facts::AsLoss(*event)) {
      copier_.Write(reader,
                    fxt::ProviderEvent{reader.provider().id(), fxt::kProviderEventBufferFilledUp});
    }
    filled_up_ = false;
    kept_ += event->category.text != schema::kRecorderName;
  } else {
    ++kept_;
  }
  if (facts::KindOf(record) == facts::RecordKind::kSwitch) WriteState(reader);
  if (const auto moved = MovedToBegin(reader)) {
    copier_.Write(reader, *moved);
  } else {
    copier_.Copy(reader);
  }
}

void Trimmer::WriteState(const fxt::Reader& reader) {
  const fxt::Record& record = reader.record();
  fxt::ThreadRef thread;
  fxt::ThreadState state = fxt::ThreadState::kNew;
  fxt::Ticks time = 0;
  if (const auto* legacy = std::get_if<fxt::LegacyContextSwitch>(&record)) {
    thread = legacy->outgoing;
    state = legacy->outgoing_state;
    time = legacy->timestamp;
  } else if (const auto* newer = std::get_if<fxt::ContextSwitch>(&record)) {
    const facts::TaskNames::Thread* known = names_.thread(newer->outgoing_thread);
    const fxt::Koid process = known != nullptr ? known->process.value_or(0) : 0;
    thread = fxt::ThreadRef::Inline(process, newer->outgoing_thread);
    state = newer->outgoing_state;
    time = newer->timestamp;
  }
  const std::string_view letters = states_in_.Letters(thread.thread, state);
  if (letters == states_out_.Letters(thread.thread, state)) return;
  const fxt::Argument argument{fxt::StringRef::Inline(schema::argument::kState),
                               fxt::StringRef::Inline(letters)};
  const fxt::Event event{fxt::EventType::kInstant,
                         time,
                         thread,
                         fxt::StringRef::Inline(schema::category::kSched),
                         fxt::StringRef::Inline(schema::event::kLinuxState),
                         {&argument, 1},
                         0};
  states_out_.Note(event);
  copier_.Write(reader, event);
}

void Trimmer::AddUntimed(const fxt::Reader& reader) {
  const fxt::Record& record = reader.record();
  if (const auto* filled = std::get_if<fxt::ProviderEvent>(&record)) {
    // The recorder writes the loss right behind it; other programs do not.
    if (reader.provider().name() == schema::kRecorderName) {
      filled_up_ = filled->event == fxt::kProviderEventBufferFilledUp;
    } else if (in_range_) {
      copier_.Copy(reader);
    }
    return;
  }
  switch (facts::KindOf(record)) {
    case facts::RecordKind::kUserspaceObject:
    case facts::RecordKind::kBlob:
    case facts::RecordKind::kLargeBlob:
    case facts::RecordKind::kUnknown:
    case facts::RecordKind::kTraceInfo:
      copier_.Copy(reader);
      break;
    default:
      break;  // definitions follow the records that need them
  }
}

}  // namespace analyze
