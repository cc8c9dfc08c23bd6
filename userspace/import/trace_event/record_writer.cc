// SPDX-License-Identifier: BSD-2-Clause
#include "import/trace_event/record_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "fxt/utf8.h"
#include "schema/koid.h"
#include "schema/names.h"
#include "schema/trace_event_fields.h"

namespace importer {
namespace {

constexpr size_t kMaxOpenSpans = 100'000;
constexpr size_t kMaxWaiting = 10'000;
constexpr size_t kMaxCompletes = 4096;
constexpr size_t kMaxStackBytes = 8000;

fxt::ProviderWriterOptions Options() {
  fxt::ProviderWriterOptions options;
  // Strings that come once are inline; a fresh table for them would be in every reader's memory.
  options.purge_after_bytes = std::numeric_limits<size_t>::max();
  return options;
}

fxt::EventType TypeOf(StoredKind kind) {
  switch (kind) {
    case StoredKind::kFlowEndNext:
      return fxt::EventType::kFlowEnd;
    case StoredKind::kObject:
      return fxt::EventType::kAsyncInstant;
    case StoredKind::kMetadata:
      return fxt::EventType::kInstant;
    default:
      return static_cast<fxt::EventType>(kind);
  }
}

}  // namespace

RecordWriter::RecordWriter(fxt::ArchiveWriter& archive, const StringTable& strings,
                           const JsonTasks& tasks, const StackFrames& frames, int64_t start,
                           int64_t moved, TraceEventStats& stats)
    : strings_(strings),
      tasks_(tasks),
      frames_(frames),
      stats_(stats),
      start_(start),
      moved_(moved),
      provider_(archive, schema::kTraceEventProvider, Options()),
      ids_(strings.size()),
      waker_(provider_.Declare(schema::argument::kWaker)),
      told_threads_(tasks.threads().size()),
      told_processes_(tasks.processes().size()),
      spans_(tasks.threads().size()) {}

void RecordWriter::Write(int64_t time, std::span<const std::byte> stored) {
  const StoredKind kind = KindOf(stored);
  const bool complete = kind == StoredKind::kDurationComplete;
  if (complete_count_ != 0 &&
      (time != complete_time_ || !complete || complete_count_ == kMaxCompletes)) {
    WriteCompletes();
  }
  if (complete) {
    if (complete_count_ == completes_.size()) completes_.emplace_back();
    completes_[complete_count_++].bytes.assign(stored.begin(), stored.end());
    complete_time_ = time;
    return;
  }
  time_ = static_cast<uint64_t>((kind == StoredKind::kMetadata ? start_ : time) + moved_);
  Decode(stored, event_);
  WriteNow(event_);
}

void RecordWriter::WriteCompletes() {
  const auto end = completes_.begin() + static_cast<ptrdiff_t>(complete_count_);
  if (complete_count_ > 1) {
    for (auto complete = completes_.begin(); complete != end; ++complete) {
      Decode(complete->bytes, event_);
      complete->duration = event_.payload;
    }
    std::stable_sort(completes_.begin(), end,
                     [](const Complete& a, const Complete& b) { return a.duration > b.duration; });
  }
  time_ = static_cast<uint64_t>(complete_time_ + moved_);
  for (auto complete = completes_.begin(); complete != end; ++complete) {
    Decode(complete->bytes, event_);
    WriteNow(event_);
  }
  complete_count_ = 0;
}

void RecordWriter::Finish() {
  if (complete_count_ != 0) WriteCompletes();
  while (!flow_ends_.empty()) WriteFlowEnds(flow_ends_.begin()->first);
  TellOthers();
}

void RecordWriter::WriteNow(StoredEvent& event) {
  switch (event.kind) {
    case StoredKind::kSwitch:
      return WriteSwitch(event);
    case StoredKind::kWakeup:
      return WriteWakeup(event);
    default:
      break;
  }
  event.thread = tasks_.Resolve(event.thread);
  switch (event.kind) {
    case StoredKind::kDurationBegin:
      WriteBegin(event);
      return WriteFlowEnds(event.thread);
    case StoredKind::kDurationComplete:
      WriteEvent(fxt::EventType::kDurationComplete, event);
      return WriteFlowEnds(event.thread);
    case StoredKind::kDurationEnd:
      return WriteEnd(event);
    case StoredKind::kFlowEndNext:
      if (waiting_flow_ends_ < kMaxWaiting) {
        ++waiting_flow_ends_;
        std::vector<std::byte> room;
        const auto bytes = Encode(event, room);
        flow_ends_[event.thread].emplace_back(bytes.begin(), bytes.end());
        return;
      }
      break;
    default:
      break;
  }
  const auto type = FitSpan(TypeOf(event.kind), event);
  if (!type) return;
  KeepPhase(event, *type);
  WriteEvent(*type, event);
}

void RecordWriter::KeepPhase(StoredEvent& event, fxt::EventType type) {
  const bool step = event.kind == StoredKind::kFlowStep;
  if (type == TypeOf(event.kind) || (!step && event.kind != StoredKind::kAsyncInstant)) return;
  const auto add = [&](std::string_view name, std::string_view text) {
    const auto same = [&](const StoredArgument& other) { return TextOf(other.name) == name; };
    std::vector<StoredArgument>& arguments = event.arguments;
    if (arguments.size() == fxt::kMaxArguments) return;
    if (std::any_of(arguments.begin(), arguments.end(), same)) return;
    StoredArgument& argument = arguments.emplace_back();
    argument.name.text = name;
    argument.text.text = text;
    argument.value = text;
  };
  add(".ph", step ? "t" : "n");
  kept_id_ = fmt::format("0x{:x}", event.payload);
  const auto is_id = [&](const StoredArgument& argument) {
    return TextOf(argument.name).starts_with(".id");
  };
  if (step || std::any_of(event.arguments.begin(), event.arguments.end(), is_id)) return;
  add(".id", kept_id_);
}

void RecordWriter::WriteFlowEnds(uint32_t thread) {
  if (waiting_flow_ends_ == 0) return;
  const auto found = flow_ends_.find(thread);
  if (found == flow_ends_.end()) return;
  StoredEvent event;
  for (const std::vector<std::byte>& bytes : found->second) {
    Decode(bytes, event);
    if (const auto type = FitSpan(fxt::EventType::kFlowEnd, event)) WriteEvent(*type, event);
  }
  waiting_flow_ends_ -= found->second.size();
  flow_ends_.erase(found);
}

bool RecordWriter::IsOfSpan(const StoredEvent& event) const {
  const std::string phase = fmt::format("{}{}", schema::kFieldMark, schema::field::kPhase);
  return std::any_of(
      event.arguments.begin(), event.arguments.end(), [&](const StoredArgument& argument) {
        return TextOf(argument.name) == phase && TextOf(argument.text) == schema::field::kMade;
      });
}

std::optional<fxt::EventType> RecordWriter::FitSpan(fxt::EventType type, const StoredEvent& event) {
  fxt::Event span;
  span.type = type;
  span.category.text = TextOf(event.category);
  span.payload = event.payload;
  using Verdict = facts::SpanTracker::Verdict;
  switch (tracker_.Note(0, span)) {
    case Verdict::kFits:
      return type;
    case Verdict::kLoneAsync:
      if (type == fxt::EventType::kAsyncInstant) {
        if (event.kind != StoredKind::kObject) ++stats_.lone_steps;
        return fxt::EventType::kInstant;
      }
      break;
    case Verdict::kLoneFlow:
      // Its first step that is there is where it begins.
      if (type == fxt::EventType::kFlowStep) {
        span.type = fxt::EventType::kFlowBegin;
        tracker_.Note(0, span);
        return span.type;
      }
      break;
    default:
      break;
  }
  if (!IsOfSpan(event)) ++stats_.lone_ends;
  return std::nullopt;
}

void RecordWriter::WriteBegin(const StoredEvent& event) {
  OpenSpans& open = spans_[event.thread];
  if (open_spans_ == kMaxOpenSpans) {
    ++open.more;
  } else {
    if (free_spans_ == kNoSpan) {
      free_spans_ = static_cast<uint32_t>(open_span_pool_.size());
      open_span_pool_.emplace_back();
    }
    OpenSpan& span = open_span_pool_[free_spans_];
    const uint32_t below = std::exchange(open.top, free_spans_);
    free_spans_ = std::exchange(span.below, below);
    ++open_spans_;
    // A long name does not come again with the end.
    const auto keep = [](const StoredText& text) { return fxt::CutUtf8(text.text, 200); };
    span.category = event.category.number;
    span.category_text = keep(event.category);
    span.name = event.name.number;
    span.name_text = keep(event.name);
  }
  WriteEvent(fxt::EventType::kDurationBegin, event);
}

// An end may do without the names, by which some readers match the two.
void RecordWriter::WriteEnd(StoredEvent& event) {
  OpenSpans& open = spans_[event.thread];
  if (open.more != 0) {
    --open.more;
    return WriteEvent(fxt::EventType::kDurationEnd, event);
  }
  if (open.top == kNoSpan) {
    ++stats_.lone_ends;
    return;
  }
  OpenSpan& span = open_span_pool_[open.top];
  if (TextOf(event.category).empty()) event.category = {span.category, span.category_text};
  if (TextOf(event.name).empty()) event.name = {span.name, span.name_text};
  WriteEvent(fxt::EventType::kDurationEnd, event);
  --open_spans_;
  const uint32_t below = std::exchange(span.below, free_spans_);
  free_spans_ = std::exchange(open.top, below);
}

fxt::StringRef RecordWriter::Refer(fxt::RecordScope& scope, const StoredText& text, size_t at) {
  if (text.number == StringTable::kNone) {
    return fxt::InlineUtf8(text.text, scratch_[at], max_text_);
  }
  std::optional<fxt::StringId>& id = ids_[text.number];
  if (!id) id = provider_.Declare(strings_.TextOf(text.number));
  return scope.Refer(*id);
}

void RecordWriter::Convert(fxt::RecordScope& scope, const StoredArgument& argument, size_t at,
                           fxt::Argument& made) {
  const std::string_view name = TextOf(argument.name);
  made.name = Refer(scope, argument.name, at);
  if (name.size() > 1 && name.front() == schema::kFieldMark) {
    const std::string_view field = name.substr(1);
    if (field == schema::field::kFrame || field == schema::field::kEndFrame) {
      const std::string stack = frames_.StackOf(TextOf(argument.text));
      if (!stack.empty()) {
        made.name =
            fxt::StringRef::Inline(field == schema::field::kFrame ? ".frames" : ".end_frames");
        scratch_[at + 1] = fxt::ToValidUtf8(fxt::CutUtf8(stack, kMaxStackBytes));
        made.value = fxt::StringRef::Inline(scratch_[at + 1]);
        return;
      }
    } else if (const auto* time = std::get_if<int64_t>(&argument.value);
               field == schema::field::kLate && time != nullptr) {
      made.value = static_cast<int64_t>(time_) - *time - moved_;
      return;
    }
  }
  // What there is most of in front: std::visit() calls through a table.
  if (const auto* number = std::get_if<int64_t>(&argument.value)) {
    const auto narrow = static_cast<int32_t>(*number);
    if (narrow == *number) {
      made.value = narrow;
    } else {
      made.value = *number;
    }
  } else if (std::holds_alternative<std::string_view>(argument.value)) {
    made.value = Refer(scope, argument.text, at + 1);
  } else if (const auto* json = std::get_if<JsonText>(&argument.value)) {
    made.value = fxt::InlineUtf8(json->text, scratch_[at + 1], max_text_);
  } else if (const auto* real = std::get_if<double>(&argument.value)) {
    made.value = *real;
  } else if (const auto* flag = std::get_if<bool>(&argument.value)) {
    made.value = *flag;
  } else if (const auto* large = std::get_if<uint64_t>(&argument.value)) {
    made.value = *large;
  } else {
    made.value = fxt::NullValue{};
  }
}

void RecordWriter::WriteEvent(fxt::EventType type, const StoredEvent& event) {
  fxt::RecordScope scope = provider_.Begin(KeyOf(event.thread));
  const size_t count = std::min(event.arguments.size(), arguments_.size());
  auto status = fxt::EncodeStatus::kOk;
  for (const size_t longest : {kMaxTextBytes, kShortTextBytes}) {
    max_text_ = longest;
    for (size_t i = 0; i < count; ++i) {
      Convert(scope, event.arguments[i], 2 + 2 * i, arguments_[i]);
    }
    fxt::Event record{.type = type,
                      .timestamp = time_,
                      .thread = scope.thread(),
                      .category = Refer(scope, event.category, 0),
                      .name = Refer(scope, event.name, 1),
                      .arguments = {arguments_.data(), count},
                      .payload = event.payload};
    if (type == fxt::EventType::kDurationComplete) record.payload += time_;
    status = scope.Write(record);
    if (status != fxt::EncodeStatus::kRecordTooLong) break;
    if (longest == kMaxTextBytes) ++stats_.cut_texts;
  }
  Note(status);
}

void RecordWriter::WriteSwitch(const StoredEvent& event) {
  const auto key = [&](uint32_t thread) {
    return thread == JsonTasks::kNone ? IdleOf(event.cpu) : KeyOf(thread);
  };
  const fxt::ThreadKey out = key(event.thread);
  const fxt::ThreadKey in = key(event.second_thread);
  if (event.second_thread == JsonTasks::kNone) {
    running_.erase(event.cpu);
  } else {
    running_[event.cpu] = in.handle;
  }
  const auto state = static_cast<fxt::ThreadState>(event.payload >> 16 & 0xf);
  const auto out_priority = static_cast<uint8_t>(event.payload);
  const auto in_priority = static_cast<uint8_t>(event.payload >> 8);
  if (event.cpu <= UINT8_MAX) {
    return Note(provider_.WriteContextSwitch(time_, static_cast<uint8_t>(event.cpu), state, out, in,
                                             out_priority, in_priority));
  }
  Note(provider_.Begin().Write(fxt::ContextSwitch{.timestamp = time_,
                                                  .cpu = event.cpu,
                                                  .outgoing_state = state,
                                                  .outgoing_thread = out.thread,
                                                  .incoming_thread = in.thread,
                                                  .arguments = {}}));
}

void RecordWriter::WriteWakeup(const StoredEvent& event) {
  const fxt::ThreadKey thread = KeyOf(event.thread);
  // A viewer would shorten the slice of a thread that runs.
  for (const auto& [cpu, running] : running_) {
    if (running == thread.handle) {
      ++stats_.system_events["wakeups of threads that run"];
      return;
    }
  }
  if (event.second_thread == JsonTasks::kNone) {
    return Note(provider_.Begin().Write(fxt::ThreadWakeup{
        .timestamp = time_, .cpu = event.cpu, .thread = thread.thread, .arguments = {}}));
  }
  Note(provider_.WriteWakeup(time_, event.cpu, thread.thread, waker_,
                             KeyOf(event.second_thread).thread));
}

}  // namespace importer
