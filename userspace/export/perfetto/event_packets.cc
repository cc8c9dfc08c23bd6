// SPDX-License-Identifier: BSD-2-Clause
#include "export/perfetto/event_packets.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

namespace exporting::perfetto {
namespace {

// Tracks of threads and processes have the koid in the lower half, others count up from 2^48.
constexpr uint64_t kThreadTracks = uint64_t{1} << 40;
constexpr uint64_t kProcessTracks = uint64_t{1} << 41;
constexpr uint64_t kOtherTracks = uint64_t{1} << 48;
constexpr size_t kSpanBytes = 160;

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 29;
}

uint64_t KoidTrack(uint64_t kind, fxt::Koid koid) {
  return koid < kThreadTracks ? kind | koid : Mix(kind, koid) | uint64_t{1} << 63;
}

uint64_t HashOf(std::string_view text) { return std::hash<std::string_view>()(text); }

}  // namespace

void EventPackets::Descriptor(uint64_t uuid, auto&& fill) {
  stream_.Write(Sequence::kEvents, std::nullopt, [&](ProtoWriter& out) {
    const ProtoWriter::Nested track(out, packet::kTrackDescriptor);
    out.Varint(track_descriptor::kUuid, uuid);
    fill(out);
  });
}

bool EventPackets::IsNewTrack(uint64_t uuid) {
  // A track that is described twice is still one track.
  if (described_.size() >= kMaxTracks) described_.clear();
  return described_.insert(uuid).second;
}

uint64_t EventPackets::ProcessTrack(fxt::Koid process) {
  const uint64_t uuid = KoidTrack(kProcessTracks, process);
  if (!IsNewTrack(uuid)) return uuid;
  const std::string& name = names_.process_name(process);
  Descriptor(uuid, [&](ProtoWriter& out) {
    if (IsPseudo(process)) {
      out.String(track_descriptor::kName, name);
      return;
    }
    const ProtoWriter::Nested descriptor(out, track_descriptor::kProcess);
    out.Varint(track_descriptor::process::kPid, numbers_.Of(process));
  });
  return uuid;
}

uint64_t EventPackets::ThreadTrack(const fxt::ThreadRef& thread) {
  const uint64_t uuid = KoidTrack(kThreadTracks, thread.thread);
  if (!IsNewTrack(uuid)) return uuid;
  const std::string& name = names_.thread_name(thread.thread);
  const bool is_track = IsPseudo(thread.thread) || IsPseudo(thread.process);
  const uint64_t parent = is_track && thread.process != 0 ? ProcessTrack(thread.process) : 0;
  Descriptor(uuid, [&](ProtoWriter& out) {
    if (is_track) {
      out.String(track_descriptor::kName, name.empty() ? fmt::format("{}", thread.thread) : name);
      if (parent != 0) out.Varint(track_descriptor::kParentUuid, parent);
      return;
    }
    const ProtoWriter::Nested descriptor(out, track_descriptor::kThread);
    out.Varint(track_descriptor::thread::kPid, numbers_.Of(thread.process));
    out.Varint(track_descriptor::thread::kTid, numbers_.Of(thread.thread));
    if (!name.empty()) out.String(track_descriptor::thread::kName, name);
  });
  return uuid;
}

uint64_t EventPackets::NewTrack(uint64_t parent, std::string_view name) {
  const uint64_t uuid = kOtherTracks + ++last_track_;
  Descriptor(uuid, [&](ProtoWriter& out) {
    out.String(track_descriptor::kName, name);
    out.Varint(track_descriptor::kParentUuid, parent);
  });
  return uuid;
}

void EventPackets::LabelProcess(fxt::Koid process, std::string_view label) {
  if (IsPseudo(process)) return;
  const uint64_t uuid = KoidTrack(kProcessTracks, process);
  IsNewTrack(uuid);
  Descriptor(uuid, [&](ProtoWriter& out) {
    const ProtoWriter::Nested descriptor(out, track_descriptor::kProcess);
    out.Varint(track_descriptor::process::kPid, numbers_.Of(process));
    out.String(track_descriptor::process::kLabels, label);
  });
}

void EventPackets::LimitTexts() {
  if (categories_.bytes() + event_names_.bytes() + annotation_names_.bytes() +
          annotation_texts_.bytes() <
      kMaxTextBytes) {
    return;
  }
  categories_.Clear();
  event_names_.Clear();
  annotation_names_.Clear();
  annotation_texts_.Clear();
  stream_.ClearState(Sequence::kEvents);
}

EventPackets::InternedArgument EventPackets::Intern(const fxt::Argument& argument) {
  InternedArgument interned{.name = annotation_names_.Number(argument.name.text, entries_)};
  const auto* text = std::get_if<fxt::StringRef>(&argument.value);
  if (text == nullptr || text->is_inline() || text->text.size() < kMinInternedText) return interned;
  if (seen_texts_.size() >= kMaxSeenTexts) seen_texts_.clear();
  const bool is_first = seen_texts_.insert(text->text.data()).second;
  if (!is_first) interned.text = annotation_texts_.Number(text->text, entries_);
  return interned;
}

void EventPackets::Annotate(ProtoWriter& out, const fxt::Argument& argument,
                            const InternedArgument& interned) {
  if (std::holds_alternative<fxt::UnknownValue>(argument.value)) return;
  const ProtoWriter::Nested annotation(out, track_event::kDebugAnnotations);
  out.Varint(annotation::kNameIid, interned.name);
  if (interned.text != 0) return out.Varint(annotation::kStringIid, interned.text);
  struct Visitor {
    ProtoWriter& out;
    void operator()(fxt::NullValue) const { out.String(annotation::kString, "null"); }
    void operator()(int32_t value) const { out.Varint(annotation::kInt, value); }
    void operator()(uint32_t value) const { out.Varint(annotation::kUint, value); }
    void operator()(int64_t value) const { out.Varint(annotation::kInt, value); }
    void operator()(uint64_t value) const { out.Varint(annotation::kUint, value); }
    void operator()(double value) const { out.Double(annotation::kDouble, value); }
    void operator()(const fxt::StringRef& value) const {
      out.String(annotation::kString, value.text);
    }
    void operator()(fxt::PointerValue value) const {
      out.Varint(annotation::kPointer, value.address);
    }
    void operator()(fxt::KoidValue value) const { out.Varint(annotation::kUint, value.koid); }
    void operator()(bool value) const { out.Varint(annotation::kBool, value); }
    void operator()(const fxt::BlobValue& value) const {
      out.String(annotation::kString, fmt::format("{} bytes", value.bytes.size()));
    }
    void operator()(const fxt::UnknownValue&) const {}
  };
  std::visit(Visitor{out}, argument.value);
}

template <typename Fill>
void EventPackets::Write(uint64_t time, uint32_t type, uint64_t track, const fxt::Event& event,
                         bool named, Fill&& fill) {
  LimitTexts();
  entries_.Clear();
  arguments_.clear();
  const uint64_t category = named ? categories_.Number(event.category.text, entries_) : 0;
  const uint64_t name = named ? event_names_.Number(event.name.text, entries_) : 0;
  const auto arguments =
      type == track_event::kCounter ? std::span<const fxt::Argument>() : event.arguments;
  for (const fxt::Argument& argument : arguments) {
    arguments_.push_back(Intern(argument));
  }
  stream_.Write(Sequence::kEvents, time, [&](ProtoWriter& out) {
    if (entries_.size() > 0) out.Bytes(packet::kInternedData, entries_.bytes());
    const ProtoWriter::Nested track_event(out, packet::kTrackEvent);
    if (type != 0) out.Varint(track_event::kType, type);
    out.Varint(track_event::kTrackUuid, track);
    if (named) {
      out.Varint(track_event::kCategoryIids, category);
      out.Varint(track_event::kNameIid, name);
    }
    for (size_t i = 0; i < arguments.size(); ++i) Annotate(out, arguments[i], arguments_[i]);
    fill(out);
  });
}

void EventPackets::Add(const fxt::Reader& reader, const fxt::Event& event) {
  const auto nothing = [](ProtoWriter&) {};
  const uint64_t time = reader.ToNanoseconds(event.timestamp);
  const uint32_t provider = reader.provider().id();
  switch (event.type) {
    case fxt::EventType::kDurationBegin:
      return Write(time, track_event::kSliceBegin, ThreadTrack(event.thread), event, true, nothing);
    case fxt::EventType::kDurationEnd:
      return Write(time, track_event::kSliceEnd, ThreadTrack(event.thread), event, false, nothing);
    case fxt::EventType::kDurationComplete: {
      const uint64_t track = ThreadTrack(event.thread);
      Write(time, track_event::kSliceBegin, track, event, true, nothing);
      fxt::Event end = event;
      end.arguments = {};
      const uint64_t end_time = std::max(time, reader.ToNanoseconds(event.payload));
      return Write(end_time, track_event::kSliceEnd, track, end, false, nothing);
    }
    case fxt::EventType::kCounter:
      return AddCounter(provider, time, event);
    case fxt::EventType::kAsyncBegin:
    case fxt::EventType::kAsyncInstant:
    case fxt::EventType::kAsyncEnd:
      return AddAsync(provider, time, event);
    case fxt::EventType::kFlowBegin:
    case fxt::EventType::kFlowStep:
    case fxt::EventType::kFlowEnd:
      return AddFlow(time, event);
    case fxt::EventType::kInstant:
      break;
  }
  Write(time, track_event::kInstant, ThreadTrack(event.thread), event, true, nothing);
}

void EventPackets::AddAsync(uint32_t provider, uint64_t time, const fxt::Event& event) {
  const auto nothing = [](ProtoWriter&) {};
  const AsyncKey key{provider, event.payload, HashOf(event.category.text)};
  auto found = spans_.find(key);
  if (found == spans_.end()) {
    if (event.type == fxt::EventType::kAsyncEnd || span_bytes_ >= kMaxSpanBytes) {
      // An end without a begin says nothing that a track can show.
      ++left_out_;
      return;
    }
    const uint64_t process = ProcessTrack(event.thread.process);
    const uint64_t group = Mix(Mix(process, HashOf(event.category.text)), HashOf(event.name.text));
    std::vector<uint64_t>& free = free_tracks_[group];
    AsyncSpan span{.track = 0, .group = group};
    if (free.empty()) {
      span_bytes_ += kSpanBytes;
      span.track = NewTrack(process, event.name.text);
    } else {
      span.track = free.back();
      free.pop_back();
    }
    found = spans_.emplace(key, span).first;
    span_bytes_ += kSpanBytes;
  }
  AsyncSpan& span = found->second;
  const uint64_t track = span.track;
  switch (event.type) {
    case fxt::EventType::kAsyncBegin:
      ++span.open;
      return Write(time, track_event::kSliceBegin, track, event, true, nothing);
    case fxt::EventType::kAsyncInstant:
      Write(time, track_event::kInstant, track, event, true, nothing);
      break;
    default:
      if (span.open > 0) --span.open;
      Write(time, track_event::kSliceEnd, track, event, false, nothing);
  }
  if (span.open > 0) return;
  free_tracks_[span.group].push_back(track);
  span_bytes_ -= kSpanBytes;
  spans_.erase(found);
}

// A flow's records are events of their own, which the reader binds to the span around them.
void EventPackets::AddFlow(uint64_t time, const fxt::Event& event) {
  char phase = 't';
  if (event.type == fxt::EventType::kFlowBegin) phase = 's';
  if (event.type == fxt::EventType::kFlowEnd) phase = 'f';
  Write(time, 0, ThreadTrack(event.thread), event, true, [&](ProtoWriter& out) {
    const ProtoWriter::Nested legacy(out, track_event::kLegacyEvent);
    out.Varint(track_event::legacy::kPhase, static_cast<int32_t>(phase));
    out.Varint(track_event::legacy::kUnscopedId, event.payload);
    if (phase == 'f') out.Varint(track_event::legacy::kBindToEnclosing, true);
  });
}

void EventPackets::AddCounter(uint32_t provider, uint64_t time, const fxt::Event& event) {
  for (const fxt::Argument& argument : event.arguments) {
    std::optional<int64_t> whole;
    double value = 0;
    if (const auto* number = std::get_if<int32_t>(&argument.value)) whole = *number;
    if (const auto* number = std::get_if<uint32_t>(&argument.value)) whole = *number;
    if (const auto* number = std::get_if<int64_t>(&argument.value)) whole = *number;
    if (const auto* number = std::get_if<uint64_t>(&argument.value)) {
      if (*number <= INT64_MAX) whole = static_cast<int64_t>(*number);
      value = static_cast<double>(*number);
    }
    if (const auto* number = std::get_if<double>(&argument.value)) {
      value = *number;
    } else if (!whole && value == 0) {
      continue;  // no number
    }
    const uint64_t process = ProcessTrack(event.thread.process);
    std::string name =
        event.payload == 0
            ? fmt::format("{}:{}", event.name.text, argument.name.text)
            : fmt::format("{}:{}:{}", event.name.text, argument.name.text, event.payload);
    if (counters_.size() >= kMaxTracks / 4) counters_.clear();
    const auto [found, is_new] =
        counters_.try_emplace({provider, process, name}, kOtherTracks + last_track_ + 1);
    if (is_new) {
      ++last_track_;
      Descriptor(found->second, [&](ProtoWriter& out) {
        out.String(track_descriptor::kName, name);
        out.Varint(track_descriptor::kParentUuid, process);
        const ProtoWriter::Nested counter(out, track_descriptor::kCounter);
      });
    }
    Write(time, track_event::kCounter, found->second, event, false, [&](ProtoWriter& out) {
      if (whole) {
        out.Varint(track_event::kCounterValue, *whole);
      } else {
        out.Double(track_event::kDoubleCounterValue, value);
      }
    });
  }
}

}  // namespace exporting::perfetto
