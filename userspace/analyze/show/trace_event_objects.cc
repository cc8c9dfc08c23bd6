// SPDX-License-Identifier: BSD-2-Clause
// What imported kernel objects say beyond names.
#include "analyze/show/trace_event_writer.h"
#include "facts/scheduling.h"
#include "schema/names.h"

namespace analyze {

// Names are told at the end; the rest is told here.
void TraceEventWriter::AddImportedObject(const fxt::KernelObject& object) {
  numbers_.Note(object);
  const bool process = object.type == static_cast<uint8_t>(fxt::KernelObjectType::kProcess);
  const auto index = facts::IntegerValue(facts::FindArgument(object.arguments, "sort_index"));
  const auto labels = facts::TextOf(facts::FindArgument(object.arguments, "labels"));
  const auto of = facts::KoidOf(facts::FindArgument(object.arguments, schema::argument::kProcess));
  if (!process && !of) return;
  const auto begin = [&](std::string_view name) {
    events_.Line().BeginObject().Key("ph").String("M").Key("name").String(name);
    events_.Key("pid");
    numbers_.WritePid(process ? object.koid : *of, events_);
    if (!process) {
      events_.Key("tid");
      numbers_.WriteTid(object.koid, events_);
    }
    events_.Key("args").BeginObject();
  };
  if (index) {
    begin(process ? "process_sort_index" : "thread_sort_index");
    events_.Key("sort_index").Signed(*index).EndObject().EndObject();
  }
  if (process && labels) {
    begin("process_labels");
    events_.Key("labels").String(*labels).EndObject().EndObject();
  }
}

}  // namespace analyze
