// SPDX-License-Identifier: BSD-2-Clause
#include "import/trace_event/record_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "fxt/utf8.h"
#include "schema/koid.h"
#include "schema/names.h"
#include "schema/trace_event_fields.h"
#include "text/json_document.h"

namespace importer {
namespace {

constexpr size_t kMaxOpenSpans = 100'000;
constexpr size_t kMaxWaiting = 10'000;
constexpr size_t kMaxCompletes = 4096;
constexpr size_t kMaxStackBytes = 8000;
constexpr size_t kMaxNesting = 1000;
// Ids of async spans that were overlapping complete events; other ids are hashes or small numbers.
constexpr uint64_t kFirstOverlapId = uint64_t{0x6f76} << 48;

fxt::ProviderWriterOptions Options() {
  fxt::ProviderWriterOptions options;
  // Never purges the string table, which would cost readers memory. Strings used once are inline.
  options.purge_after_bytes = std::numeric_limits<size_t>::max();
  return options;
}

fxt::EventType TypeOf(StoredKind kind) {
  switch (kind) {
    case StoredKind::kFlowEndNext:
      return fxt::EventType::kFlowEnd;
    case StoredKind::kObject:
      return fxt::EventType::kAsyncInstant;
    default:
      return static_cast<fxt::EventType>(kind);
  }
}

constexpr size_t kPropertyBytes = 24'000;

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
      written_threads_(tasks.threads().size()),
      written_processes_(tasks.processes().size()),
      spans_(tasks.threads().size()),
      complete_ends_(tasks.threads().size()) {}

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
  time_ = static_cast<uint64_t>(time + moved_);
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
  WriteAsyncEnds(std::numeric_limits<uint64_t>::max());
  while (!flow_ends_.empty()) WriteFlowEnds(flow_ends_.begin()->first);
  WriteUnusedTasks();
}

void RecordWriter::WriteNow(StoredEvent& event) {
  WriteAsyncEnds(time_);
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
      WriteComplete(event);
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

// Writes a complete event. A span that begins inside another one of its thread and ends after it
// becomes an async span, because viewers would drop it.
void RecordWriter::WriteComplete(StoredEvent& event) {
  const uint64_t end = time_ + event.payload;
  std::vector<uint64_t>& ends = complete_ends_[event.thread];
  while (!ends.empty() && ends.back() <= time_) ends.pop_back();
  const bool overlaps = !ends.empty() && end > ends.back();
  // An async span needs two more arguments.
  if (!overlaps || async_ends_.size() == kMaxWaiting ||
      event.arguments.size() + 2 > fxt::kMaxArguments) {
    if (!overlaps && ends.size() < kMaxNesting) ends.push_back(end);
    return WriteEvent(fxt::EventType::kDurationComplete, event);
  }
  ++stats_.overlapping;
  StoredEvent span;
  span.kind = StoredKind::kAsyncEnd;
  span.thread = event.thread;
  span.category = event.category;
  span.name = event.name;
  span.payload = kFirstOverlapId + stats_.overlapping;
  static const std::string kPhase = fmt::format("{}{}", schema::kFieldMark, schema::field::kPhase);
  static const std::string kDuration =
      fmt::format("{}{}", schema::kFieldMark, schema::field::kDuration);
  const auto has_phase = [&](const StoredArgument& a) { return TextOf(a.name) == kPhase; };
  if (std::none_of(event.arguments.begin(), event.arguments.end(), has_phase)) {
    event.arguments.push_back({{.text = kPhase}, std::string_view("X"), {.text = "X"}});
  }
  event.arguments.push_back(
      {{.text = kDuration}, static_cast<int64_t>(event.payload), StoredText{}});
  event.payload = span.payload;
  event.kind = StoredKind::kAsyncBegin;
  if (!FitSpan(fxt::EventType::kAsyncBegin, event)) return;
  WriteEvent(fxt::EventType::kAsyncBegin, event);

  span.arguments.push_back(
      {{.text = kPhase}, schema::field::kMade, {.text = schema::field::kMade}});
  std::vector<std::byte> room;
  const auto bytes = Encode(span, room);
  async_ends_.push_back({end, {bytes.begin(), bytes.end()}});
  std::push_heap(async_ends_.begin(), async_ends_.end());
}

void RecordWriter::WriteAsyncEnds(uint64_t until) {
  if (async_ends_.empty() || async_ends_.front().time > until) return;
  const uint64_t now = time_;
  StoredEvent event;
  while (!async_ends_.empty() && async_ends_.front().time <= until) {
    std::pop_heap(async_ends_.begin(), async_ends_.end());
    time_ = async_ends_.back().time;
    Decode(async_ends_.back().bytes, event);
    if (const auto type = FitSpan(fxt::EventType::kAsyncEnd, event)) WriteEvent(*type, event);
    async_ends_.pop_back();
  }
  time_ = now;
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
      // The first step begins a flow without a begin.
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
    // Cuts long names, which are repeated at the end of the span.
    const auto keep = [](const StoredText& text) { return fxt::CutUtf8(text.text, 200); };
    span.category = event.category.number;
    span.category_text = keep(event.category);
    span.name = event.name.number;
    span.name_text = keep(event.name);
  }
  WriteEvent(fxt::EventType::kDurationBegin, event);
}

// Adds the begin's names to an end without names, because some readers match spans by them.
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
  // Tests the most frequent type first: std::visit() calls through a table.
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
  // Drops the wakeup, because Perfetto would shorten the slice of the running thread.
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

void RecordWriter::WriteHead(const std::map<std::string, std::string>& properties) {
  const fxt::KoidValue process{schema::kRecorderProcessKoid};
  fxt::RecordScope scope = provider_.Begin({OwnHandle(), process.koid, schema::RecorderKoid()});
  const fxt::Argument of_process{fxt::StringRef::Inline(schema::argument::kProcess), process};
  Note(scope.Write(fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kProcess),
                                     process.koid,
                                     fxt::StringRef::Inline(schema::kImporterName),
                                     {}}));
  Note(scope.Write(fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kThread),
                                     schema::RecorderKoid(),
                                     fxt::StringRef::Inline(schema::kImporterName),
                                     {&of_process, 1}}));
  std::array<fxt::Argument, fxt::kMaxArguments> arguments;
  size_t count = 0;
  arguments[count++] = {fxt::StringRef::Inline("format"),
                        fxt::StringRef::Inline(schema::kTraceEventProvider)};
  if (moved_ != 0) arguments[count++] = {fxt::StringRef::Inline("moved_ns"), moved_};
  for (const auto& [name, text] : properties) {
    if (count == arguments.size()) break;
    std::string_view value = text;
    // Removes the quotes of a simple string, unless it would then look like another type.
    if (value.size() >= 2 && value.front() == '"' && value.find('\\') == std::string_view::npos &&
        !text::IsJson(value.substr(1, value.size() - 2))) {
      value = value.substr(1, value.size() - 2);
    }
    arguments[count] = {fxt::InlineUtf8(name, scratch_[2 * count], kShortTextBytes),
                        fxt::InlineUtf8(value, scratch_[2 * count + 1], kPropertyBytes)};
    ++count;
  }
  Note(scope.Write(fxt::Event{.type = fxt::EventType::kInstant,
                              .timestamp = static_cast<uint64_t>(start_ + moved_),
                              .thread = scope.thread(),
                              .category = fxt::StringRef::Inline(schema::kRecorderName),
                              .name = fxt::StringRef::Inline(schema::kImport),
                              .arguments = {arguments.data(), count}}));
}

void RecordWriter::AddMetadata(const JsonTasks::Metadata& metadata,
                               std::span<fxt::Argument> arguments, size_t& count) {
  for (const auto& [name, json] : metadata) {
    if (count == arguments.size()) return;
    scratch_[count] = fmt::format("{}{}", schema::kMetadataPrefix, name);
    arguments[count] = {fxt::StringRef::Inline(scratch_[count]), fxt::StringRef::Inline(json)};
    ++count;
  }
}

void RecordWriter::WriteProcessObject(uint32_t number) {
  if (written_processes_[number]) return;
  written_processes_[number] = true;
  const JsonTasks::Process& process = tasks_.process(number);
  std::array<fxt::Argument, fxt::kMaxArguments> arguments;
  size_t count = 0;
  if (!process.text.empty()) {
    arguments[count++] = {fxt::StringRef::Inline(schema::argument::kPid),
                          fxt::StringRef::Inline(process.text)};
  } else if (static_cast<int64_t>(process.koid) != process.pid) {
    arguments[count++] = {fxt::StringRef::Inline(schema::argument::kPid), process.pid};
  }
  if (!process.labels.empty()) {
    arguments[count++] = {fxt::StringRef::Inline("labels"), fxt::StringRef::Inline(process.labels)};
  }
  if (process.sort_index) {
    arguments[count++] = {fxt::StringRef::Inline("sort_index"), *process.sort_index};
  }
  AddMetadata(process.metadata, arguments, count);
  const std::string& name = process.name.empty() ? process.text : process.name;
  Note(provider_.Begin().Write(
      fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kProcess),
                        process.koid,
                        fxt::StringRef::Inline(name),
                        {arguments.data(), count}}));
}

void RecordWriter::WriteThreadObject(uint32_t number) {
  if (written_threads_[number]) return;
  written_threads_[number] = true;
  const JsonTasks::Thread& thread = tasks_.thread(number);
  WriteProcessObject(thread.process);
  std::array<fxt::Argument, fxt::kMaxArguments> arguments;
  size_t count = 0;
  arguments[count++] = {fxt::StringRef::Inline(schema::argument::kProcess),
                        fxt::KoidValue{tasks_.process(thread.process).koid}};
  if (!thread.text.empty()) {
    arguments[count++] = {fxt::StringRef::Inline(schema::argument::kTid),
                          fxt::StringRef::Inline(thread.text)};
  } else if (static_cast<int64_t>(thread.koid) != thread.tid) {
    arguments[count++] = {fxt::StringRef::Inline(schema::argument::kTid), thread.tid};
  }
  if (thread.sort_index) {
    arguments[count++] = {fxt::StringRef::Inline("sort_index"), *thread.sort_index};
  }
  AddMetadata(thread.metadata, arguments, count);
  const std::string& name = thread.name.empty() ? thread.text : thread.name;
  Note(provider_.Begin().Write(
      fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kThread),
                        thread.koid,
                        fxt::StringRef::Inline(name),
                        {arguments.data(), count}}));
}

void RecordWriter::WriteUnusedTasks() {
  // Skips the first process and thread, which are "(others)".
  for (uint32_t number = 1; number < tasks_.processes().size(); ++number) {
    const JsonTasks::Process& process = tasks_.process(number);
    if (process.pid == 0) continue;  // the idle process
    if (!process.name.empty() || !process.labels.empty() || process.sort_index ||
        !process.metadata.empty()) {
      WriteProcessObject(number);
    }
  }
  for (uint32_t number = 1; number < tasks_.threads().size(); ++number) {
    const JsonTasks::Thread& thread = tasks_.thread(number);
    const bool idle = thread.process != JsonTasks::kNone && tasks_.process(thread.process).pid == 0;
    if (!idle && (!thread.name.empty() || thread.sort_index || !thread.metadata.empty()))
      WriteThreadObject(tasks_.Resolve(number));
  }
}

fxt::ThreadKey RecordWriter::KeyOf(uint32_t thread) {
  thread = tasks_.Resolve(thread);
  WriteThreadObject(thread);
  const JsonTasks::Thread& known = tasks_.thread(thread);
  return {thread, tasks_.process(known.process).koid, known.koid};
}

fxt::ThreadKey RecordWriter::IdleOf(uint16_t cpu) {
  const fxt::Koid koid = schema::IdleKoid(cpu);
  if (written_idle_.size() <= cpu) written_idle_.resize(cpu + size_t{1});
  if (!written_idle_[cpu]) {
    written_idle_[cpu] = true;
    const fxt::Argument process{fxt::StringRef::Inline(schema::argument::kProcess),
                                fxt::KoidValue{schema::kIdleProcessKoid}};
    const std::string name = fmt::format("swapper/{}", cpu);
    fxt::RecordScope scope = provider_.Begin();
    Note(scope.Write(fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kProcess),
                                       schema::kIdleProcessKoid,
                                       fxt::StringRef::Inline("swapper"),
                                       {}}));
    Note(scope.Write(fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kThread),
                                       koid,
                                       fxt::StringRef::Inline(name),
                                       {&process, 1}}));
  }
  return {OwnHandle() + 1 + cpu, schema::kIdleProcessKoid, koid};
}

}  // namespace importer
