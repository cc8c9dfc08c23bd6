// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/rewrite/recovery.h"

#include <fmt/format.h>

#include <array>

#include "facts/linux_state_tracker.h"
#include "facts/record_kind.h"
#include "facts/recorder_facts.h"
#include "schema/koid.h"
#include "schema/names.h"

namespace analyze {
namespace {

using fxt::StringRef;

std::optional<fxt::Ticks> TicksOf(const fxt::Record& record) {
  return std::visit(
      [](const auto& r) -> std::optional<fxt::Ticks> {
        if constexpr (requires { r.timestamp; }) return r.timestamp;
        return std::nullopt;
      },
      record);
}

bool IsLossCounter(const fxt::Event& event, int32_t cpu) {
  return event.type == fxt::EventType::kCounter && event.category.text == schema::kRecorderName &&
         event.name.text == schema::event::kLostEvents &&
         static_cast<int32_t>(event.payload) == cpu;
}

}  // namespace

void Recovery::OnGap(uint64_t bytes) {
  ++result_.gaps;
  result_.skipped_bytes += bytes;
  undeclared_bytes_ += bytes;
  undeclared_ = true;
}

bool Recovery::Completes(const fxt::Record& record) const {
  const auto* event = std::get_if<fxt::Event>(&record);
  switch (held_.awaits) {
    case Held::Awaits::kNothing:
      return false;
    case Held::Awaits::kSwitch: {
      const auto* legacy = std::get_if<fxt::LegacyContextSwitch>(&record);
      const auto* newer = std::get_if<fxt::ContextSwitch>(&record);
      return (legacy != nullptr && legacy->outgoing.thread == held_.thread &&
              legacy->timestamp == held_.time && legacy->outgoing_state == held_.state) ||
             (newer != nullptr && newer->outgoing_thread == held_.thread &&
              newer->timestamp == held_.time && newer->outgoing_state == held_.state);
    }
    case Held::Awaits::kLossInstant:
      return event != nullptr && facts::AsLoss(*event).has_value();
    case Held::Awaits::kLossCounter:
      return event != nullptr && IsLossCounter(*event, held_.cpu);
    case Held::Awaits::kLogInstant:
      return event != nullptr && event->type == fxt::EventType::kInstant &&
             event->category.text == schema::category::kLog &&
             event->thread.thread == held_.thread && event->timestamp == held_.time;
  }
  return false;
}

void Recovery::DropHeld() {
  for (const TraceCopier::Prepared& record : held_.records) {
    Drop(record.words.size() * fxt::kWordBytes);
  }
  held_ = {};
}

void Recovery::WriteHeld() {
  for (const TraceCopier::Prepared& record : held_.records) copier_.Put(record);
  held_ = {};
}

void Recovery::Add(const fxt::Reader& reader) {
  copier_.Note(reader);
  const facts::RecordKind kind = facts::KindOf(reader.record());
  if (kind <= facts::RecordKind::kThread && kind != facts::RecordKind::kProviderEvent) return;
  if (kind == facts::RecordKind::kKernelObject) return;
  ++sequence_;
  if (reader.provider().name() != schema::kRecorderName) {
    if (undeclared_ && TicksOf(reader.record()) && have_time_) DeclareGap(reader);
    if (const auto ticks = TicksOf(reader.record())) last_ticks_ = *ticks;
    have_time_ = have_time_ || TicksOf(reader.record());
    copier_.Copy(reader);
    return;
  }

  const fxt::Record& record = copier_.Mend(reader);
  if (held_.awaits != Held::Awaits::kNothing && !Completes(record)) DropHeld();
  if (!Fits(reader, record)) {
    DropHeld();
    Drop(reader.words().size_bytes());
    return;
  }
  const auto ticks = TicksOf(record);
  if (ticks) {
    if (!seen_session_) BeginSession(reader, record);
    // The declaration has the time of the next record, which keeps the order.
    if (undeclared_ && have_time_) DeclareGap(reader);
    last_ticks_ = *ticks;
    have_time_ = true;
  }
  if (Hold(reader, copier_.Mend(reader))) return;
  WriteHeld();
  const fxt::Record& mended = copier_.Mend(reader);
  NoteFacts(reader, mended);
  Mention(mended);
  copier_.Copy(reader);
}

bool Recovery::Fits(const fxt::Reader& reader, const fxt::Record& record) {
  if (const auto* wakeup = std::get_if<fxt::ThreadWakeup>(&record)) {
    // A declared gap resets the CPUs.
    return undeclared_ || !continuity_.CpuOf(wakeup->thread);
  }
  const auto change = facts::AsSwitch(record, reader.provider());
  if (change && continuity_.Judge(*change) != facts::CpuContinuity::Verdict::kFits)
    undeclared_ = true;
  return true;
}

void Recovery::NoteFacts(const fxt::Reader& reader, const fxt::Record& record) {
  if (const auto change = facts::AsSwitch(record, reader.provider())) {
    continuity_.Note(*change, sequence_);
    return;
  }
  if (const auto* event = std::get_if<fxt::Event>(&record)) continuity_.Note(*event, sequence_);
}

bool Recovery::Hold(const fxt::Reader& reader, const fxt::Record& record) {
  Held next = held_;
  next.awaits = Held::Awaits::kNothing;
  if (std::holds_alternative<fxt::ProviderEvent>(record)) {
    next.awaits = Held::Awaits::kLossInstant;
  } else if (const auto* log = std::get_if<fxt::Log>(&record)) {
    next.awaits = Held::Awaits::kLogInstant;
    next.thread = log->thread.thread;
    next.time = log->timestamp;
    Mention(record);
  } else if (const auto* event = std::get_if<fxt::Event>(&record)) {
    if (const auto loss = facts::AsLoss(*event)) {
      next.awaits = Held::Awaits::kLossCounter;
      next.cpu = loss->cpu.value_or(-1);
      next.damage = loss->category == schema::kDamage;
    } else if (facts::IsLinuxState(*event)) {
      next.awaits = Held::Awaits::kSwitch;
      next.thread = event->thread.thread;
      next.time = event->timestamp;
      next.state = facts::LinuxStateTracker::StateOf(
          facts::TextOf(facts::FindArgument(event->arguments, schema::argument::kState))
              .value_or(""));
    }
    if (next.awaits != Held::Awaits::kNothing) Mention(record);
  }
  if (next.awaits == Held::Awaits::kNothing) {
    if (held_.awaits == Held::Awaits::kLossCounter) {
      // The file may be the output of an earlier recovery.
      if (held_.damage)
        continuity_.DeclareDamage(sequence_);
      else
        continuity_.DeclareGap(held_.cpu, sequence_);
    }
    return false;
  }
  next.records.push_back(copier_.Prepare(reader));
  held_ = std::move(next);
  return true;
}

// The first event of a recording describes it. Without it, the file may lack switches.
void Recovery::BeginSession(const fxt::Reader& reader, const fxt::Record& record) {
  seen_session_ = true;
  const auto* event = std::get_if<fxt::Event>(&record);
  if (event != nullptr && facts::IsSession(*event)) return;
  continuity_.ExpectNothing();
  NameRecorder(reader);
  const fxt::Argument filters{StringRef::Inline(schema::argument::kFilters),
                              StringRef::Inline("(lost)")};
  copier_.Write(reader, fxt::Event{fxt::EventType::kInstant,
                                   TicksOf(record).value_or(0),
                                   fxt::ThreadRef::Inline(schema::kRecorderProcessKoid,
                                                          schema::kRecorderProcessKoid),
                                   StringRef::Inline(schema::kRecorderName),
                                   StringRef::Inline(schema::event::kSession),
                                   {&filters, 1},
                                   0});
}

void Recovery::NameRecorder(const fxt::Reader& reader) {
  if (names_.thread(schema::kRecorderProcessKoid) != nullptr || recorder_named_) return;
  recorder_named_ = true;
  const fxt::Argument process{StringRef::Inline(schema::argument::kProcess),
                              fxt::KoidValue{schema::kRecorderProcessKoid}};
  copier_.Write(reader, fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kProcess),
                                          schema::kRecorderProcessKoid,
                                          StringRef::Inline(schema::kRecorderName),
                                          {}});
  copier_.Write(reader, fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kThread),
                                          schema::kRecorderProcessKoid,
                                          StringRef::Inline("recording"),
                                          {&process, 1}});
}

void Recovery::DeclareGap(const fxt::Reader& reader) {
  NameRecorder(reader);
  // Records before any provider info belong to provider 0, which has no announcement.
  const fxt::ReaderProvider& provider = reader.provider();
  if (provider.announced() || provider.id() != 0) {
    copier_.Write(reader, fxt::ProviderEvent{provider.id(), fxt::kProviderEventBufferFilledUp});
  }
  // The number of events in the lost bytes is unknown.
  const std::array arguments = {
      fxt::Argument{StringRef::Inline(schema::argument::kCpu), int32_t{-1}},
      fxt::Argument{StringRef::Inline(schema::argument::kCount), uint64_t{0}},
      fxt::Argument{StringRef::Inline(schema::argument::kCategory),
                    StringRef::Inline(schema::kDamage)},
      fxt::Argument{StringRef::Inline(schema::argument::kBytes), undeclared_bytes_}};
  fxt::Event event{
      fxt::EventType::kInstant,
      last_ticks_,
      fxt::ThreadRef::Inline(schema::kRecorderProcessKoid, schema::kRecorderProcessKoid),
      StringRef::Inline(schema::kRecorderName),
      StringRef::Inline(schema::event::kLostEvents),
      arguments,
      0};
  copier_.Write(reader, event);
  const fxt::Argument total{StringRef::Inline(schema::kDamage), result_.skipped_bytes};
  event.type = fxt::EventType::kCounter;
  event.arguments = {&total, 1};
  event.payload = static_cast<uint64_t>(int64_t{-1});
  copier_.Write(reader, event);
  undeclared_bytes_ = 0;
  undeclared_ = false;
  continuity_.DeclareDamage(sequence_);
}

void Recovery::Mention(const fxt::Record& record) {
  if (const auto* legacy = std::get_if<fxt::LegacyContextSwitch>(&record)) {
    MentionThread(legacy->outgoing.thread, legacy->outgoing.process);
    MentionThread(legacy->incoming.thread, legacy->incoming.process);
  } else if (const auto* newer = std::get_if<fxt::ContextSwitch>(&record)) {
    MentionThread(newer->outgoing_thread, std::nullopt);
    MentionThread(newer->incoming_thread, std::nullopt);
  } else if (const auto* wakeup = std::get_if<fxt::ThreadWakeup>(&record)) {
    MentionThread(wakeup->thread, std::nullopt);
    const auto waker =
        facts::KoidOf(facts::FindArgument(wakeup->arguments, schema::argument::kWaker));
    if (waker) MentionThread(*waker, std::nullopt);
  } else if (const fxt::ThreadRef* thread = facts::ThreadOf(record)) {
    MentionThread(thread->thread, thread->process);
  }
}

void Recovery::MentionThread(fxt::Koid thread, std::optional<fxt::Koid> process) {
  const auto [entry, fresh] = threads_.try_emplace(thread, process);
  if (!fresh && !entry->second) entry->second = process;
  if (process) processes_.insert(*process);
}

void Recovery::NameMentioned() {
  constexpr auto kProcess = fxt::KernelObjectType::kProcess;
  constexpr auto kThread = fxt::KernelObjectType::kThread;
  for (const auto& [thread, process] : threads_) {
    const facts::TaskNames::Thread* known = names_.thread(thread);
    const bool lost = known == nullptr && !copier_.HasObject(thread, kThread);
    const bool other = known != nullptr && process && known->process != process;
    if (!lost && !other) {
      // The object may follow the last record that names the thread.
      copier_.Require(thread);
      if (known != nullptr && known->process) processes_.insert(*known->process);
      continue;
    }
    if (thread == schema::kRecorderProcessKoid && recorder_named_) continue;
    const fxt::Koid of = process.value_or(thread);
    processes_.insert(of);
    const std::string name = lost ? fmt::format("(lost thread {})", schema::TidOfKoid(thread))
                                  : names_.thread_name(thread);
    const fxt::Argument argument{StringRef::Inline(schema::argument::kProcess), fxt::KoidValue{of}};
    copier_.Name({static_cast<uint8_t>(kThread),
                  thread,
                  StringRef::Inline(std::string_view(name).substr(0, fxt::kMaxStringRefBytes)),
                  {&argument, 1}});
  }
  // An accepted object may name a process that occurs nowhere else.
  for (const facts::TaskNames::Thread& object : names_.threads()) {
    if (object.process && !copier_.HasObject(*object.process, kProcess)) {
      processes_.insert(*object.process);
    }
  }
  for (const fxt::Koid process : processes_) {
    copier_.Require(process);
    if (copier_.HasObject(process, kProcess)) continue;
    if (process == schema::kRecorderProcessKoid && recorder_named_) continue;
    copier_.Name(
        {static_cast<uint8_t>(kProcess), process, StringRef::Inline("(lost process)"), {}});
  }
}

void Recovery::Finish(const fxt::Reader& reader) {
  DropHeld();
  if (undeclared_ && have_time_) DeclareGap(reader);
  NameMentioned();
  result_.sink_failed = !copier_.Finish();
  result_.records = copier_.records();
  result_.lost_references = copier_.lost_references();
}

}  // namespace analyze
