// SPDX-License-Identifier: BSD-2-Clause
// What comes from Trace Event JSON, back in its places.
#include "analyze/show/trace_event_writer.h"
#include "facts/scheduling.h"
#include "schema/koid.h"
#include "schema/names.h"
#include "schema/trace_event_fields.h"
#include "text/json_document.h"

namespace analyze {

// Names() writes the names at the end. Writes the other properties of the object.
void TraceEventWriter::AddImportedObject(const fxt::KernelObject& object) {
  numbers_.Note(object);
  const bool process = object.type == static_cast<uint8_t>(fxt::KernelObjectType::kProcess);
  const auto index = facts::IntegerValue(facts::FindArgument(object.arguments, "sort_index"));
  const auto labels = facts::TextOf(facts::FindArgument(object.arguments, "labels"));
  const auto of = facts::KoidOf(facts::FindArgument(object.arguments, schema::argument::kProcess));
  if (!process && !of) return;
  const auto begin = [&](std::string_view name, bool with_object = true) {
    Line().BeginObject().Key("ph").String("M").Key("name").String(name);
    events_.Key("pid");
    numbers_.WritePid(process ? object.koid : *of, events_);
    if (!process) {
      events_.Key("tid");
      numbers_.WriteTid(object.koid, events_);
    }
    events_.Key("args");
    if (with_object) events_.BeginObject();
  };
  for (const fxt::Argument& argument : object.arguments) {
    std::string_view name = argument.name.text;
    const auto text = facts::TextOf(&argument);
    if (!text || !name.starts_with(schema::kMetadataPrefix) || !text::IsJson(*text)) continue;
    name.remove_prefix(schema::kMetadataPrefix.size());
    begin(name, false);
    events_.Json(*text).EndObject();
  }
  if (index) {
    begin(process ? "process_sort_index" : "thread_sort_index");
    events_.Key("sort_index").Signed(*index).EndObject().EndObject();
  }
  if (process && labels) {
    begin("process_labels");
    events_.Key("labels").String(*labels).EndObject().EndObject();
  }
}

void TraceEventWriter::ImportedArguments(const ImportedFields& fields,
                                         std::span<const fxt::Argument> arguments) {
  for (const fxt::Argument& argument : arguments) {
    if (ImportedFields::IsField(argument)) continue;
    std::string_view name = argument.name.text;
    if (name == schema::kMoreArguments && fields.IsJson(argument)) {
      const std::string_view json = std::get<fxt::StringRef>(argument.value).text;
      if (json.size() > 2 && json.front() == '{') {
        events_.Json(json.substr(1, json.size() - 2));  // its members are arguments
        continue;
      }
    }
    if (name.starts_with(schema::kFieldMark)) name.remove_prefix(1);
    events_.Key(name);
    fields.WriteValue(argument, events_);
  }
}

void TraceEventWriter::AddSample(const fxt::Event& event, uint64_t time,
                                 const ImportedFields& fields) {
  samples_.Line().BeginObject();
  bool has_time = false;
  for (const fxt::Argument& argument : event.arguments) {
    has_time |= argument.name.text == ".timestamp";
  }
  // Those of perf have a time of their own, and no name.
  if (!has_time) {
    samples_.Key("ts").Microseconds(time).Key("name").String(event.name.text);
  }
  if (fields.is_process_sample()) {
    samples_.Key("pid");
    numbers_.WritePid(event.thread.process, samples_);
  }
  samples_.Key("tid");
  numbers_.WriteTid(event.thread.thread, samples_);
  fields.Write(samples_, frames_);
  samples_.EndObject();
}

bool TraceEventWriter::IsImporter(fxt::Koid process) const {
  return process == schema::kRecorderProcessKoid &&
         names_.process_name(process) == schema::kImporterName;
}

void TraceEventWriter::TakeProperties(const fxt::Event& head) {
  for (size_t i = 0; i < head.arguments.size(); ++i) {
    const fxt::Argument& argument = head.arguments[i];
    const auto text = facts::TextOf(argument.name.text == "format" && i == 0 ? nullptr : &argument);
    if (!text) continue;
    if (argument.name.text == "displayTimeUnit") {
      if (!begun_) display_unit_ = *text;
    } else {
      properties_.emplace(argument.name.text, *text);
    }
  }
}

void TraceEventWriter::WriteProperties() {
  for (const auto& [name, text] : properties_) {
    events_.Key(name);
    if (text::IsJson(text)) {
      events_.Json(text);
    } else {
      events_.String(text);
    }
  }
}

}  // namespace analyze
