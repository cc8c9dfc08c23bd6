// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/rewrite/record_validator.h"

#include <algorithm>
#include <array>

#include "facts/linux_state_tracker.h"
#include "facts/record_kind.h"
#include "facts/recorder_facts.h"
#include "facts/scheduling.h"
#include "fxt/utf8.h"
#include "schema/koid.h"
#include "schema/names.h"

namespace analyze {
namespace {

using fxt::Validity;

constexpr uint64_t kRecorderTicks = 1'000'000'000;
constexpr int64_t kMaxPriority = 139;
constexpr uint32_t kMaxLegacyCpu = 255;
// The start of a provider: info, section, initialization, and a definition.
constexpr uint64_t kProviderBytes = 64;

bool IsLost(const fxt::ThreadRef& thread, const fxt::ReaderProvider& provider) {
  return !thread.is_inline() && !provider.has_thread(thread.index);
}

// Koids of fxt-record's own track and of idle threads are constants.
bool IsTrackOf(fxt::Koid thread, fxt::Koid process) {
  if (thread == schema::kRecorderProcessKoid) return process == thread;
  const bool idle = thread >> schema::kTidBits == schema::kIdleGeneration;
  return !idle || process == schema::kIdleProcessKoid;
}

Validity ToValidity(bool valid) { return valid ? Validity::kValid : Validity::kInvalid; }

}  // namespace

Validity RecordValidator::IsPlausible(const fxt::Reader& reader) {
  if (!HasSoundLayout(reader)) return Validity::kInvalid;
  const bool recorder = reader.provider().name() == schema::kRecorderName;
  if (facts::KindOf(reader.record()) <= facts::RecordKind::kThread)
    return OfMetadata(reader, recorder);
  if (!FitsInTime(reader, recorder)) return Validity::kInvalid;
  return ToValidity(!recorder || IsRecorders(reader));
}

void RecordValidator::Note(const fxt::Reader& reader) {
  names_.Note(reader.record());
  if (std::holds_alternative<fxt::ProviderSection>(reader.record())) {
    hole_bytes_ = 0;
    contradictions_ = 0;
  }
  if (const auto time = facts::TimeOf(reader.record(), reader.provider())) {
    (reader.provider().name() == schema::kRecorderName ? recorder_times_ : other_times_)
        .Note(*time);
  }
}

void RecordValidator::NoteHole(uint64_t bytes) {
  hole_ = true;
  hole_bytes_ += bytes;
}

bool RecordValidator::HasSoundLayout(const fxt::Reader& reader) {
  sound_ = true;
  layout_.Check(reader);
  return sound_;
}

bool RecordValidator::FitsInTime(const fxt::Reader& reader, bool ordered) {
  const auto time = facts::TimeOf(reader.record(), reader.provider());
  if (!time) return true;
  std::array<uint64_t, TimestampValidator::kUpcoming> times;
  const auto upcoming = std::span(times).first(reader.PeekTimes(times));
  const TimestampValidator& validator = ordered ? recorder_times_ : other_times_;
  if (!validator.IsPlausible(*time, upcoming, ordered)) return false;
  if (ordered && validator.IsLeap(*time, upcoming)) {
    far_ahead_.resize(TimestampValidator::kFarAhead);
    const std::span far = std::span(far_ahead_).first(reader.PeekTimes(far_ahead_));
    if (!validator.IsInOrder(*time, far)) return false;
  }
  const auto* event = std::get_if<fxt::Event>(&reader.record());
  return event == nullptr || event->type != fxt::EventType::kDurationComplete ||
         validator.IsPlausibleEnd(*time, reader.ToNanoseconds(event->payload), upcoming);
}

Validity RecordValidator::OfMetadata(const fxt::Reader& reader, bool recorder) {
  const fxt::Record& record = reader.record();
  const fxt::ReaderProvider& provider = reader.provider();
  if (const auto* info = std::get_if<fxt::ProviderInfo>(&record)) {
    // The reader has not switched to that provider yet.
    return ToValidity(fxt::IsValidUtf8(info->name) && !reader.IsAnnounced(info->id));
  }
  if (const auto* section = std::get_if<fxt::ProviderSection>(&record)) {
    return ToValidity(reader.IsAnnounced(section->id) || hole_ || !provider.announced());
  }
  if (const auto* event = std::get_if<fxt::ProviderEvent>(&record)) {
    return ToValidity(event->id == provider.id() && provider.announced() &&
                      (!recorder || event->event == fxt::kProviderEventBufferFilledUp));
  }
  if (const auto* init = std::get_if<fxt::Initialization>(&record)) {
    if (recorder) return ToValidity(init->ticks_per_second == kRecorderTicks);
    return ToValidity(!provider.initialized() ||
                      provider.ticks_per_second() == init->ticks_per_second);
  }
  return recorder ? OfDefinition(reader) : Validity::kValid;
}

// fxt-record defines an index once. A second definition was overwritten, or belongs to a provider
// whose start lies in a gap; in that case others follow.
Validity RecordValidator::OfContradiction() {
  ++contradictions_;
  return hole_bytes_ >= kProviderBytes && contradictions_ > 1 ? Validity::kOtherProvider
                                                              : Validity::kInvalid;
}

Validity RecordValidator::OfDefinition(const fxt::Reader& reader) {
  const fxt::ReaderProvider& provider = reader.provider();
  if (const auto* string = std::get_if<fxt::StringRecord>(&reader.record())) {
    if (!fxt::IsValidUtf8(string->text)) return Validity::kInvalid;
    const std::string* known = provider.FindString(string->index);
    return known == nullptr || *known == string->text ? Validity::kValid : OfContradiction();
  }
  if (const auto* thread = std::get_if<fxt::ThreadRecord>(&reader.record())) {
    const auto ref = fxt::ThreadRef::Inline(thread->process, thread->thread);
    if (!IsThread(ref, provider)) return Validity::kInvalid;
    if (!provider.has_thread(thread->index)) return Validity::kValid;
    const auto& known = provider.thread(thread->index);
    return known.process == thread->process && known.thread == thread->thread ? Validity::kValid
                                                                              : OfContradiction();
  }
  return ToValidity(std::holds_alternative<fxt::MagicNumber>(reader.record()));
}

bool RecordValidator::IsKnown(fxt::Koid thread) const {
  return thread <= schema::kMaxKoid && (hole_ || names_.thread(thread) != nullptr);
}

bool RecordValidator::IsThread(const fxt::ThreadRef& thread,
                               const fxt::ReaderProvider& provider) const {
  if (IsLost(thread, provider)) return true;
  // If its object names another process, either may be wrong; Recovery writes a matching object.
  return thread.process <= schema::kMaxKoid && IsKnown(thread.thread);
}

bool RecordValidator::AreArguments(std::span<const fxt::Argument> arguments) const {
  return std::none_of(arguments.begin(), arguments.end(), [](const fxt::Argument& argument) {
    const auto koid = facts::KoidOf(&argument);
    return (koid && *koid > schema::kMaxKoid) ||
           std::holds_alternative<fxt::UnknownValue>(argument.value);
  });
}

bool RecordValidator::IsRecorders(const fxt::Reader& reader) const {
  const fxt::Record& record = reader.record();
  if (const auto* object = std::get_if<fxt::KernelObject>(&record)) return IsObject(*object);
  if (const auto* event = std::get_if<fxt::Event>(&record)) {
    return IsThread(event->thread, reader.provider()) && IsEvent(*event);
  }
  if (const auto* wakeup = std::get_if<fxt::ThreadWakeup>(&record)) {
    const fxt::Argument* waker = facts::FindArgument(wakeup->arguments, schema::argument::kWaker);
    return IsKnown(wakeup->thread) && AreArguments(wakeup->arguments) &&
           (waker == nullptr || (facts::KoidOf(waker) && IsKnown(*facts::KoidOf(waker))));
  }
  switch (facts::KindOf(record)) {
    case facts::RecordKind::kSwitch:
      return IsSwitch(reader);
    case facts::RecordKind::kLargeBlob:
    case facts::RecordKind::kUnknown:
      return false;
    default:
      const fxt::ThreadRef* thread = facts::ThreadOf(record);
      return thread == nullptr || IsThread(*thread, reader.provider());
  }
}

bool RecordValidator::IsObject(const fxt::KernelObject& object) const {
  if (object.koid > schema::kMaxKoid || !AreArguments(object.arguments)) return false;
  switch (static_cast<fxt::KernelObjectType>(object.type)) {
    case fxt::KernelObjectType::kProcess:
      return true;
    case fxt::KernelObjectType::kThread: {
      const auto process =
          facts::KoidOf(facts::FindArgument(object.arguments, schema::argument::kProcess));
      const facts::TaskNames::Thread* known = names_.thread(object.koid);
      if (process && !IsTrackOf(object.koid, *process)) return false;
      return process && (known == nullptr || !known->process || *known->process == *process);
    }
  }
  return false;
}

bool RecordValidator::IsEvent(const fxt::Event& event) const {
  if (!AreArguments(event.arguments)) return false;
  if (const auto loss = facts::AsLoss(event)) return loss->cpu && loss->count && loss->category;
  if (facts::IsLinuxState(event)) {
    const auto letters =
        facts::TextOf(facts::FindArgument(event.arguments, schema::argument::kState));
    return facts::LinuxStateTracker::StateOf(letters.value_or("")) != fxt::ThreadState::kRunning;
  }
  return true;
}

bool RecordValidator::IsSide(const fxt::ThreadRef& side, uint8_t priority, uint32_t cpu,
                             const fxt::ReaderProvider& provider) const {
  if (priority > kMaxPriority || !IsThread(side, provider)) return false;
  if (IsLost(side, provider)) return true;
  const bool idle = side.process == 0;
  return idle == (side.thread == schema::IdleKoid(cpu)) && (!idle || priority == 0);
}

bool RecordValidator::IsSwitch(const fxt::Reader& reader) const {
  const fxt::ReaderProvider& provider = reader.provider();
  if (const auto* legacy = std::get_if<fxt::LegacyContextSwitch>(&reader.record())) {
    return IsSide(legacy->outgoing, legacy->outgoing_priority, legacy->cpu, provider) &&
           IsSide(legacy->incoming, legacy->incoming_priority, legacy->cpu, provider);
  }
  const auto* newer = std::get_if<fxt::ContextSwitch>(&reader.record());
  return newer != nullptr && newer->cpu > kMaxLegacyCpu && IsKnown(newer->outgoing_thread) &&
         IsKnown(newer->incoming_thread) && AreArguments(newer->arguments);
}

}  // namespace analyze
