// SPDX-License-Identifier: BSD-2-Clause
#include "import/trace_event/trace_event_importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "fxt/utf8.h"
#include "import/json/trace_event.h"
#include "import/trace_event/event_phase.h"
#include "import/trace_event/ftrace_line.h"
#include "import/trace_event/record_writer.h"
#include "schema/names.h"
#include "schema/trace_event_fields.h"
#include "text/json_document.h"
#include "text/json_writer.h"

namespace importer {
namespace {

constexpr size_t kMaxProperties = 12;

// True if `fxt json` writes the id like this when only the number is kept.
bool IsPlainId(const JsonValue& id, uint64_t number) {
  const auto* text = std::get_if<std::string_view>(&id);
  return text != nullptr && *text == fmt::format("0x{:x}", number);
}

// Properties that `fxt json` writes itself.
bool IsReserved(std::string_view property) {
  constexpr std::string_view kNames[] = {"traceEvents", "systemTraceEvents", "samples",
                                         "stackFrames", "lastBranch"};
  return std::find(std::begin(kNames), std::end(kNames), property) != std::end(kNames);
}

// A user's argument whose name looks like a field gets a prefix (schema/names.h).
bool NeedsMark(std::string_view name) {
  return name.starts_with(schema::kFieldMark) || name == schema::kMoreArguments;
}

void AppendJson(const JsonValue& value, text::JsonWriter& json) {
  std::visit(
      [&](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::monostate>) json.Null();
        if constexpr (std::is_same_v<T, bool>) json.Bool(v);
        if constexpr (std::is_same_v<T, int64_t>) json.Json(fmt::format("{}", v));
        if constexpr (std::is_same_v<T, uint64_t>) json.Json(fmt::format("{}", v));
        if constexpr (std::is_same_v<T, double>) json.Double(v);
        if constexpr (std::is_same_v<T, std::string_view>) json.String(v);
        if constexpr (std::is_same_v<T, JsonText>) json.Json(v.text);
      },
      value);
}

constexpr uint32_t kMaxCpu = UINT16_MAX;

int64_t IntegerIn(const std::vector<JsonMember>& members, std::string_view name, int64_t other) {
  for (const JsonMember& member : members) {
    const auto* number = std::get_if<int64_t>(&member.value);
    if (member.name == name && number != nullptr) return *number;
  }
  return other;
}

// Converts a text with a number, because viewers ignore texts in counters. Returns other values
// unchanged.
JsonValue NumberIn(const JsonValue& value) {
  const auto* text = std::get_if<std::string_view>(&value);
  if (text == nullptr || text->empty()) return value;
  const char* const end = text->data() + text->size();
  int64_t whole = 0;
  if (const auto [at, error] = std::from_chars(text->data(), end, whole);
      error == std::errc() && at == end) {
    return whole;
  }
  double number = 0;
  const auto [at, error] = std::from_chars(text->data(), end, number);
  return error == std::errc() && at == end && std::isfinite(number) ? JsonValue(number) : value;
}

}  // namespace

TraceEventImporter::TraceEventImporter(size_t sort_memory) : sorter_(sort_memory) {}

util::Status TraceEventImporter::Read(fxt::ByteSource& source, const Progress& progress) {
  JsonDocument document(source, *this);
  const JsonDocument::Outcome outcome = document.Read(progress);
  failure_ = document.failure();
  if (!status_) return status_;
  if (outcome == JsonDocument::Outcome::kNotJson) {
    if (!failure_.empty()) return util::Error{failure_, ""};
    return util::Error{"the file is neither a JSON array nor a JSON object",
                       "the Trace Event Format begins with [ or {"};
  }
  stats_.broken = document.broken();
  stats_.first_broken = document.first_broken();
  stats_.cut = document.cut();
  stats_.open_ended = document.open_ended();
  return status_;
}

util::Status TraceEventImporter::ReadFtrace(fxt::ByteSource& source, const Progress& progress) {
  constexpr size_t kLineBytes = 4096;
  JsonWindow window(source, JsonWindow::kFirstBytes);
  while (status_ && window.More()) {
    for (;;) {
      const std::string_view text = window.text();
      const size_t end = text.find('\n');
      if (end == std::string_view::npos) {
        if (window.full()) window.Pass(text.size());  // longer than any line of ftrace
        break;
      }
      OnSystemLine(text.substr(0, std::min(end, kLineBytes)));
      window.Pass(end + 1);
    }
    if (progress && !progress(window.position())) break;
  }
  OnSystemLine(window.text().substr(0, kLineBytes));
  failure_ = window.failure();
  return status_;
}

StoredText TraceEventImporter::Text(std::string_view text) {
  if (text.size() > kMaxTextBytes) {
    text = fxt::CutUtf8(text, kMaxTextBytes);
    ++stats_.cut_texts;
  }
  return {strings_.NumberOf(text), text};
}

void TraceEventImporter::AddArgument(std::string_view name, const JsonValue& value) {
  StoredArgument& argument = stored_.arguments.emplace_back();
  argument.name = Text(name);
  argument.value = value;
  if (const auto* json = std::get_if<JsonText>(&value)) {
    if (json->text.size() <= kMaxTextBytes) {
      json_names_.append(json_names_.empty() ? "" : "\n").append(schema::JsonArgumentLine(name));
      return;
    }
    argument.value = json->text;  // truncated, so it is not JSON any more
  }
  if (const auto* text = std::get_if<std::string_view>(&argument.value)) {
    argument.text = Text(*text);
    argument.value = argument.text.text;
  }
}

// `name` with the prefix of a field.
std::string_view TraceEventImporter::Marked(std::string_view name) {
  // Frequent names, which need no new text.
  static constexpr std::string_view kFrequent[] = {
      ".tts",     ".tdur",     ".json", ".ph", ".id",   ".id2.local", ".scope", ".s",
      ".bind_id", ".flow_out", ".sf",   ".bp", ".late", ".args",      ".cname"};
  for (const std::string_view marked : kFrequent) {
    static_assert(schema::kFieldMark == '.');
    if (marked.substr(1) == name) return marked;
  }
  return made_.emplace_back(fmt::format("{}{}", schema::kFieldMark, name));
}

void TraceEventImporter::AddField(std::string_view name, const JsonValue& value) {
  AddArgument(Marked(name), value);
}

// Moves arguments beyond the limit of a record (15) into one argument as JSON.
void TraceEventImporter::MakeRoom() {
  // Leaves room for phase and id, which an event without a begin keeps as arguments.
  const bool step =
      stored_.kind == StoredKind::kAsyncInstant || stored_.kind == StoredKind::kFlowStep;
  const size_t spare = step ? 2 : 0;
  const size_t limit = fxt::kMaxArguments - spare - (json_names_.empty() ? 0 : 1);
  std::vector<StoredArgument>& arguments = stored_.arguments;
  if (arguments.size() > limit) {
    const size_t kept = fxt::kMaxArguments - spare - 2;
    fmt::memory_buffer buffer;
    text::JsonWriter json(buffer);
    json.BeginObject();
    std::string names;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const StoredArgument& argument = arguments[i];
      const bool is_json = std::holds_alternative<JsonText>(argument.value);
      if (i < kept) {
        if (is_json) names.append(schema::JsonArgumentLine(argument.name.text)).append("\n");
        continue;
      }
      if (buffer.size() > kMaxTextBytes) break;
      std::string_view name = argument.name.text;
      if (name.starts_with(schema::kFieldMark)) name.remove_prefix(1);
      json.Key(name);
      AppendJson(argument.value, json);
    }
    json.EndObject();
    arguments.resize(kept);
    json_names_ = names;
    if (!json_names_.empty()) json_names_.pop_back();
    AddArgument(schema::kMoreArguments, JsonText{made_.emplace_back(buffer.data(), buffer.size())});
  }
  if (json_names_.empty()) return;
  const std::string_view names = made_.emplace_back(json_names_);
  AddField(schema::field::kJson, names);
}

void TraceEventImporter::AddOwnArgument(const JsonMember& argument) {
  if (NeedsMark(argument.name)) return AddField(argument.name, argument.value);
  AddArgument(argument.name, argument.value);
}

void TraceEventImporter::AddArguments(const TraceEvent& event) {
  if (event.argument.index() != 0) AddField(schema::field::kArguments, event.argument);
  for (const JsonMember& argument : event.arguments) AddOwnArgument(argument);
}

bool TraceEventImporter::Store(StoredKind kind, int64_t time) {
  stored_.kind = kind;
  MakeRoom();
  if (!first_time_ || time < *first_time_) first_time_ = time;
  status_ = sorter_.Add(time, Encode(stored_, bytes_));
  return status_.ok();
}

void TraceEventImporter::TakeStacks(const TraceEvent& event) {
  const auto stack = [&](std::string_view name, const JsonValue& frame, std::string_view frames) {
    if (!frames.empty()) return AddField(name, frames);
    // Resolved at the end, when all frames are known.
    if (frame.index() != 0) {
      AddField(name == schema::field::kStack ? schema::field::kFrame : schema::field::kEndFrame,
               made_.emplace_back(IdText(frame)));
    }
  };
  stack(schema::field::kStack, event.frame, event.stack);
  stack(schema::field::kEndStack, event.end_frame, event.end_stack);
}

void TraceEventImporter::Begin(const TraceEvent& event) {
  made_.clear();
  json_names_.clear();
  stored_.arguments.clear();
  const bool has_thread = event.tid.index() != 0;
  // A sample may have only a tid. Its thread does not belong to process 0.
  stored_.thread = event.phase == 0 && event.pid.index() == 0
                       ? 0
                       : tasks_.ThreadOf(event.pid, has_thread ? event.tid : event.pid);
  stored_.payload = 0;
  stored_.cpu = 0;
  stored_.category = Text(event.category);
  stored_.name = Text(event.name);
  for (const JsonMember& field : event.extra) AddField(field.name, field.value);
  TakeStacks(event);
  for (const std::string_view field : event.unknown) CountName(stats_.fields, field);
}

void TraceEventImporter::TakeId(const TraceEvent& event, bool local, bool has_place) {
  const bool local_id = event.local_id.index() != 0;
  const bool global_id = event.global_id.index() != 0;
  const JsonValue& id = local_id ? event.local_id : global_id ? event.global_id : event.id;
  const std::string text = IdText(id);
  const auto number = IdNumber(text);
  if (local_id) {
    local = true;
  } else if (global_id) {
    local = false;
  }
  // Instants have no id field.
  if (number && !local && event.scope.empty() && has_place) {
    stored_.payload = *number;
    // A counter id of 0 means no id.
    const bool implied =
        !global_id && IsPlainId(id, *number) && (event.phase != 'C' || *number != 0);
    if (!implied) KeepIds(event);
    return;
  }
  if (text.empty()) return KeepIds(event);
  const std::string key = fmt::format(
      "{}\n{}\n{}", local ? tasks_.thread(stored_.thread).process + 1 : 0, event.scope, text);
  stored_.payload = std::hash<std::string_view>{}(key);
  KeepIds(event);
}

void TraceEventImporter::KeepIds(const TraceEvent& event) {
  const auto keep = [&](std::string_view name, const JsonValue& id) {
    if (id.index() != 0) AddField(name, id);
    return id.index() != 0;
  };
  keep(schema::field::kId, event.id);
  if (!keep(schema::field::kLocalId, event.local_id)) {
    keep(schema::field::kGlobalId, event.global_id);
  }
  if (!event.scope.empty()) AddField(schema::field::kScope, event.scope);
}

bool TraceEventImporter::OnEvent(const TraceEvent& event) {
  ++stats_.events;
  const auto phase = static_cast<unsigned char>(event.phase);
  if (phase < stats_.phases.size()) ++stats_.phases[phase];
  if (event.phase == 'M') return OnMetadata(event);
  if (!event.time) {
    ++stats_.without_time;
    return true;
  }
  return OnTimed(event);
}

bool TraceEventImporter::OnStackFrame(std::string_view id, const TraceEvent& frame) {
  ++stats_.stack_frames;
  if (!frames_.Add(id, frame.name, frame.category, IdText(frame.parent))) ++stats_.lost_frames;
  return true;
}

bool TraceEventImporter::OnProperty(std::string_view name, std::string_view text) {
  constexpr size_t kMaxBytes = 24'000;  // of all properties, which share one record
  const bool fits = !text.empty() && name.size() + text.size() <= kMaxBytes - property_bytes_ &&
                    properties_.size() < kMaxProperties;
  if (!fits || IsReserved(name) || !text::IsJson(text)) {
    CountName(stats_.properties, name);
    return true;
  }
  property_bytes_ += name.size() + text.size();
  properties_[std::string(name)] = text;
  return true;
}

util::Status TraceEventImporter::Write(fxt::ArchiveWriter& archive) {
  if (auto status = sorter_.Finish(); !status) return status;
  stats_.spilled_bytes = sorter_.spilled_bytes();
  stats_.spilled_runs = sorter_.runs();
  stats_.other_tasks = tasks_.overflowed();
  tasks_.Assign();
  // Records have no negative times.
  const int64_t start = first_time_.value_or(0);
  stats_.moved = start < 0 ? -start : 0;
  RecordWriter writer(archive, strings_, tasks_, frames_, start, stats_.moved, stats_);
  writer.WriteHead(properties_);
  sort::RunSorter::Item item;
  while (!archive.failed()) {
    auto next = sorter_.Next(item);
    if (!next) return next.TakeError();
    if (!*next) break;
    writer.Write(item.time, item.bytes);
  }
  writer.Finish();
  return util::Ok();
}

bool TraceEventImporter::OnTimed(const TraceEvent& event) {
  const std::optional<EventPhase> phase = EventPhaseOf(event.phase);
  if (!phase) {
    ++stats_.unknown_phases;
    return true;
  }
  if (phase->kind == StoredKind::kCounter) return AddCounter(event);
  StoredKind kind = phase->kind;
  const bool has_id =
      event.id.index() != 0 || event.local_id.index() != 0 || event.global_id.index() != 0;
  // With a duration and without an id, "T" is a thread state and not a step of an async operation.
  if (event.phase == 'T' && event.duration && !has_id) kind = StoredKind::kDurationComplete;
  if (kind == StoredKind::kFlowEnd && event.binding_point != "e") kind = StoredKind::kFlowEndNext;
  Begin(event);
  if (!phase->usual) AddField(schema::field::kPhase, std::string_view(&event.phase, 1));
  if (phase->id != PhaseId::kNone && kind != StoredKind::kDurationComplete) {
    TakeId(event, phase->id == PhaseId::kLocal, kind != StoredKind::kInstant);
  } else {
    KeepIds(event);
  }
  if (kind == StoredKind::kDurationComplete) {
    if (!event.duration || *event.duration < 0) ++stats_.without_duration;
    stored_.payload = static_cast<uint64_t>(std::max<int64_t>(event.duration.value_or(0), 0));
  }
  if (!event.instant_scope.empty() && event.instant_scope != "t") {
    AddField(schema::field::kInstantScope, event.instant_scope);
  }
  if (!event.binding_point.empty() && kind != StoredKind::kFlowEnd) {
    AddField(schema::field::kBindingPoint, event.binding_point);
  }
  if (kind == StoredKind::kFlowEndNext) AddField(schema::field::kLate, *event.time);
  if (event.bind_id.index() != 0) AddField(schema::field::kBindId, event.bind_id);
  if (event.flow_in) AddField(schema::field::kFlowIn, true);
  if (event.flow_out) AddField(schema::field::kFlowOut, true);
  if (kind != StoredKind::kDurationComplete && event.duration) CountName(stats_.fields, "dur");
  AddArguments(event);
  if (!Store(kind, *event.time)) return false;
  return event.bind_id.index() == 0 || AddFlow(event);
}

// Adds the flow event for "bind_id" with "flow_in" or "flow_out", which Chrome writes instead.
bool TraceEventImporter::AddFlow(const TraceEvent& event) {
  if (!event.flow_in && !event.flow_out) return true;
  const StoredKind kind = !event.flow_in    ? StoredKind::kFlowBegin
                          : !event.flow_out ? StoredKind::kFlowEnd
                                            : StoredKind::kFlowStep;
  stored_.arguments.clear();
  json_names_.clear();
  AddField(schema::field::kPhase, schema::field::kMade);
  const std::string text = IdText(event.bind_id);
  stored_.payload = IdNumber(text).value_or(std::hash<std::string>{}(text));
  return Store(kind, *event.time);
}

// A counter with more series than a record has arguments becomes several records with the same
// name.
bool TraceEventImporter::AddCounter(const TraceEvent& event) {
  size_t next = 0;
  do {
    Begin(event);
    if (event.id.index() != 0 || event.local_id.index() != 0 || event.global_id.index() != 0) {
      TakeId(event, false, true);
    }
    if (event.argument.index() != 0) AddField(schema::field::kArguments, event.argument);
    while (next < event.arguments.size()) {
      const size_t taken = stored_.arguments.size() + (json_names_.empty() ? 0 : 1);
      const bool json =
          json_names_.empty() && std::holds_alternative<JsonText>(event.arguments[next].value);
      if (taken + 1 + (json ? 1 : 0) > fxt::kMaxArguments) break;
      AddOwnArgument({event.arguments[next].name, NumberIn(event.arguments[next].value)});
      ++next;
    }
    if (!Store(StoredKind::kCounter, *event.time)) return false;
  } while (next < event.arguments.size());
  return true;
}

bool TraceEventImporter::OnMetadata(const TraceEvent& event) {
  const JsonValue* name = Find(event.arguments, "name");
  const auto index = IntegerOf(Find(event.arguments, "sort_index"));
  const bool has_thread = event.tid.index() != 0;
  const auto thread = [&] {
    return tasks_.ThreadOf(event.pid, has_thread ? event.tid : event.pid);
  };
  if (event.name == "process_name") {
    tasks_.NameProcess(tasks_.ProcessOf(event.pid), TextOf(name));
  } else if (event.name == "process_labels") {
    tasks_.LabelProcess(tasks_.ProcessOf(event.pid), TextOf(Find(event.arguments, "labels")));
  } else if (event.name == "process_sort_index" && index) {
    tasks_.SortProcess(tasks_.ProcessOf(event.pid), *index);
  } else if (event.name == "thread_name") {
    tasks_.NameThread(thread(), TextOf(name));
  } else if (event.name == "thread_sort_index" && index) {
    tasks_.SortThread(thread(), *index);
  } else {
    fmt::memory_buffer buffer;
    text::JsonWriter json(buffer);
    if (event.argument.index() != 0) {
      AppendJson(event.argument, json);
    } else {
      json.BeginObject();
      for (const JsonMember& argument : event.arguments) {
        json.Key(argument.name);
        AppendJson(argument.value, json);
      }
      json.EndObject();
    }
    const std::string_view text(buffer.data(), buffer.size());
    const bool kept =
        has_thread ? tasks_.AddThreadMetadata(thread(), event.name, text)
                   : tasks_.AddProcessMetadata(tasks_.ProcessOf(event.pid), event.name, text);
    if (!kept) ++stats_.lost_metadata;
  }
  for (const std::string_view field : event.unknown) CountName(stats_.fields, field);
  return true;
}

bool TraceEventImporter::OnSample(const TraceEvent& sample) {
  ++stats_.samples;
  // Samples of `perf data convert --to-json` have a layout of their own, in nanoseconds.
  const auto time = sample.time ? sample.time : IntegerOf(Find(sample.extra, "timestamp"));
  if (!time) {
    ++stats_.without_time;
    return true;
  }
  Begin(sample);
  const bool with_process = sample.pid.index() != 0;
  if (sample.name.empty()) stored_.name = Text("sample");
  stored_.thread = with_process ? tasks_.ThreadOf(sample.pid, sample.tid)
                                : tasks_.ThreadOfKernel(IntegerOf(&sample.tid).value_or(0), {}, {});
  const std::string_view name = TextOf(Find(sample.extra, "comm"));
  if (!name.empty() && with_process) tasks_.NameThread(stored_.thread, name);
  stored_.category = Text("sample");
  AddField(schema::field::kPhase,
           with_process ? schema::field::kProcessSample : schema::field::kSample);
  AddArguments(sample);
  return Store(StoredKind::kInstant, *time);
}

bool TraceEventImporter::StoreSwitch(int64_t time, uint32_t cpu, const Side& out, const Side& in,
                                     uint8_t state) {
  if (cpu > kMaxCpu) {
    ++stats_.refused;
    return true;
  }
  ++stats_.switches;
  stored_ = {};
  json_names_.clear();
  stored_.cpu = static_cast<uint16_t>(cpu);
  stored_.thread = out.thread;
  stored_.second_thread = in.thread;
  const auto byte = [](int priority) {
    return static_cast<uint64_t>(std::clamp(priority, 0, 255));
  };
  stored_.payload = byte(out.priority) | byte(in.priority) << 8 | uint64_t{state} << 16;
  return Store(StoredKind::kSwitch, time);
}

bool TraceEventImporter::StoreWakeup(int64_t time, uint32_t cpu, uint32_t thread, uint32_t waker) {
  if (cpu > kMaxCpu) {
    ++stats_.refused;
    return true;
  }
  ++stats_.wakeups;
  stored_ = {};
  json_names_.clear();
  stored_.cpu = static_cast<uint16_t>(cpu);
  stored_.thread = thread;
  stored_.second_thread = waker;
  return Store(StoredKind::kWakeup, time);
}

bool TraceEventImporter::OnMark(const FtraceLine& line, int64_t time) {
  const auto mark = FtraceMark::Parse(line.rest);
  if (!mark) {
    CountName(stats_.system_events, line.event);
    return true;
  }
  const StoredKind kind = EventPhaseOf(mark->phase).value_or(EventPhase{}).kind;
  made_.clear();
  json_names_.clear();
  stored_ = {};
  const int64_t pid = mark->pid.value_or(line.tgid.value_or(line.tid));
  stored_.thread = tasks_.ThreadOf(pid, line.tid);
  tasks_.NameThread(stored_.thread, line.task);
  stored_.category = Text("tracing_mark");
  stored_.name = Text(mark->name);
  if (kind == StoredKind::kCounter) {
    AddArgument("value", NumberIn(mark->value));
  } else if (!mark->value.empty()) {
    // A cookie is unique per name and process.
    const std::string& key =
        made_.emplace_back(fmt::format("{}\n{}\n{}", pid, mark->name, mark->value));
    stored_.payload = std::hash<std::string_view>{}(key);
    AddField(schema::field::kLocalId, mark->value);
  }
  ++stats_.marks;
  return Store(kind, time);
}

bool TraceEventImporter::OnSystemLine(std::string_view text) {
  // An HTML page has scripts before the text of ftrace.
  if (text.starts_with("#")) in_ftrace_ = true;
  if (text.starts_with("</script>")) in_ftrace_ = false;
  const auto line = FtraceLine::Parse(text);
  if (!line) {
    if (in_ftrace_ && !text.empty() && !text.starts_with("#")) {
      CountName(stats_.system_events, "malformed lines");
    }
    return true;
  }
  const int64_t time = line->time + system_offset_;
  if (line->event == "sched_switch") {
    if (const auto parsed = FtraceSwitch::Parse(line->rest)) {
      const auto side = [&](int64_t tid, std::string_view comm, int priority) {
        if (tid == 0) return Side{};
        const bool is_task = tid == line->tid;
        return Side{tasks_.ThreadOfKernel(tid, is_task ? line->tgid : std::nullopt, comm),
                    priority};
      };
      return StoreSwitch(time, line->cpu,
                         side(parsed->prev_tid, parsed->prev_comm, parsed->prev_priority),
                         side(parsed->next_tid, parsed->next_comm, parsed->next_priority),
                         static_cast<uint8_t>(parsed->prev_state));
    }
  } else if (line->event == "sched_waking" || (line->event == "sched_wakeup" && !seen_waking_)) {
    if (const auto parsed = FtraceWakeup::Parse(line->rest); parsed && parsed->tid != 0) {
      seen_waking_ = seen_waking_ || line->event == "sched_waking";
      const uint32_t waker = line->tid == 0
                                 ? JsonTasks::kNone
                                 : tasks_.ThreadOfKernel(line->tid, line->tgid, line->task);
      return StoreWakeup(time, parsed->target_cpu,
                         tasks_.ThreadOfKernel(parsed->tid, {}, parsed->comm), waker);
    }
  } else if (line->event == "tracing_mark_write" || line->event == "print") {
    if (const auto parent = ParentTimeOf(line->rest)) {
      system_offset_ = *parent - line->time;
      return true;
    }
    return OnMark(*line, time);
  }
  CountName(stats_.system_events, line->event);
  return true;
}

TraceEventImporter::Side TraceEventImporter::TakeSide(const TraceEvent& event,
                                                      std::string_view which, uint8_t* state) {
  for (const JsonMember& member : event.extra) {
    const auto* json = std::get_if<JsonText>(&member.value);
    if (member.name != which || json == nullptr) continue;
    const std::string text(json->text);
    if (side_parser_.Parse(text).verdict != EventParser::Verdict::kEvent) break;
    const TraceEvent& side = side_parser_.event();
    if (state != nullptr) {
      *state = static_cast<uint8_t>(std::clamp<int64_t>(IntegerIn(side.extra, "state", 0), 0, 5));
    }
    const auto priority =
        static_cast<int>(std::clamp<int64_t>(IntegerIn(side.extra, "prio", 0), 0, 255));
    const auto* pid = std::get_if<int64_t>(&side.pid);
    const auto* tid = std::get_if<int64_t>(&side.tid);
    if (tid == nullptr || (pid != nullptr && *pid == 0 && priority == 0)) return {};
    if (pid == nullptr) return {tasks_.ThreadOfKernel(*tid, {}, {}), priority};
    return {tasks_.ThreadOf(side.pid, side.tid), priority};
  }
  return {};
}

bool TraceEventImporter::OnSystemEvent(const TraceEvent& event) {
  switch (event.phase) {
    case 'p':
      tasks_.NameProcess(tasks_.ProcessOf(event.pid), event.name);
      return true;
    case 't':
      tasks_.NameThread(tasks_.ThreadOf(event.pid, event.tid), event.name);
      return true;
    case 'k':
    case 'w':
      break;
    default:
      ++stats_.unknown_phases;
      return true;
  }
  if (!event.time) {
    ++stats_.without_time;
    return true;
  }
  const int64_t cpu = IntegerIn(event.extra, "cpu", -1);
  const auto number = static_cast<uint32_t>(cpu < 0 || cpu > UINT16_MAX ? UINT32_MAX : cpu);
  if (event.phase == 'k') {
    uint8_t state = 0;
    const Side out = TakeSide(event, "out", &state);
    const Side in = TakeSide(event, "in", nullptr);
    if (state == static_cast<uint8_t>(fxt::ThreadState::kRunning)) state = 0;
    return StoreSwitch(*event.time, number, out, in, state);
  }
  const auto* tid = std::get_if<int64_t>(&event.tid);
  if (tid == nullptr) return true;
  const int64_t waker = IntegerIn(event.extra, "waker", 0);
  return StoreWakeup(*event.time, number, tasks_.ThreadOfKernel(*tid, {}, {}),
                     waker == 0 ? JsonTasks::kNone : tasks_.ThreadOfKernel(waker, {}, {}));
}

}  // namespace importer
