// SPDX-License-Identifier: BSD-2-Clause
#include "import/trace_event/trace_event_importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "fxt/utf8.h"
#include "import/json/json_values.h"
#include "import/trace_event/record_writer.h"
#include "schema/names.h"
#include "schema/trace_event_fields.h"
#include "text/json_document.h"
#include "text/json_writer.h"

namespace importer {
namespace {

constexpr size_t kMaxProperties = 12;

// As `fxt json` writes it when nothing is kept of it but the number.
bool IsPlainId(const JsonValue& id, uint64_t number) {
  const auto* text = std::get_if<std::string_view>(&id);
  return text != nullptr && *text == fmt::format("0x{:x}", number);
}

// What `fxt json` fills by itself.
bool IsReserved(std::string_view property) {
  constexpr std::string_view kNames[] = {"traceEvents", "systemTraceEvents", "samples",
                                         "stackFrames", "lastBranch"};
  return std::find(std::begin(kNames), std::end(kNames), property) != std::end(kNames);
}

// A user's argument that would be taken for something else has a mark more (schema/names.h).
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

}  // namespace

TraceEventImporter::TraceEventImporter(size_t sort_memory) : sorter_(sort_memory) {}

util::Status TraceEventImporter::Read(fxt::ByteSource& source, const Progress& progress) {
  JsonDocument document(source, *this);
  const JsonDocument::Outcome outcome = document.Read(progress);
  failure_ = document.failure();
  if (!status_) return status_;
  if (outcome == JsonDocument::Outcome::kNotJson) {
    if (!failure_.empty()) return util::Error{failure_, ""};
    return util::Error{"this is neither an array nor an object of JSON",
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
        if (window.full()) window.Pass(text.size());  // no line of ftrace
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
    argument.value = json->text;  // cut, it is no JSON any more
  }
  if (const auto* text = std::get_if<std::string_view>(&argument.value)) {
    argument.text = Text(*text);
    argument.value = argument.text.text;
  }
}

// `name` with the mark of a field before it.
std::string_view TraceEventImporter::Marked(std::string_view name) {
  // Those that stand in many events.
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

// A record has fifteen arguments.
void TraceEventImporter::MakeRoom() {
  // What has no begin says its phase and its id.
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
  if (time != kBeforeAll && (!first_time_ || time < *first_time_)) first_time_ = time;
  status_ = sorter_.Add(time, Encode(stored_, bytes_));
  return status_.ok();
}

void TraceEventImporter::TakeStacks(const TraceEvent& event) {
  const auto stack = [&](std::string_view name, const JsonValue& frame, std::string_view frames) {
    if (!frames.empty()) return AddField(name, frames);
    // Looked up when all frames are known, which come last.
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
  // A sample may name a thread by its number alone; it is no thread of process 0 then.
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
  // Instants have no place for it.
  if (number && !local && event.scope.empty() && has_place) {
    stored_.payload = *number;
    // A counter's zero is that it has none.
    const bool told = !global_id && IsPlainId(id, *number) && (event.phase != 'C' || *number != 0);
    if (!told) KeepIds(event);
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
  constexpr size_t kMaxBytes = 24'000;  // of all, which are in one record
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
  // Records have no times before 0.
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

}  // namespace importer
