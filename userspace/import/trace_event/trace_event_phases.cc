// SPDX-License-Identifier: BSD-2-Clause
// What becomes of events in time, metadata and samples.
#include <algorithm>
#include <functional>
#include <limits>
#include <string>

#include "import/json/json_values.h"
#include "import/trace_event/event_phase.h"
#include "import/trace_event/trace_event_importer.h"
#include "schema/names.h"
#include "schema/trace_event_fields.h"

namespace importer {

bool TraceEventImporter::OnTimed(const TraceEvent& event) {
  const std::optional<EventPhase> phase = EventPhaseOf(event.phase);
  if (!phase) {
    ++stats_.unknown_phases;
    return true;
  }
  if (phase->kind == StoredKind::kCounter) return AddCounter(event);
  StoredKind kind = phase->kind;
  if (kind == StoredKind::kFlowEnd && event.binding_point != "e") kind = StoredKind::kFlowEndNext;
  Begin(event);
  if (!phase->usual) AddField(schema::field::kPhase, std::string_view(&event.phase, 1));
  if (phase->id != PhaseId::kNone) {
    TakeId(event, phase->id == PhaseId::kLocal, kind != StoredKind::kInstant);
  } else {
    KeepIds(event);
  }
  if (event.phase == 'X') {
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
  if (event.phase != 'X' && event.duration) CountName(stats_.fields, "dur");
  AddArguments(event);
  if (!Store(kind, *event.time)) return false;
  return event.bind_id.index() == 0 || AddFlow(event);
}

// "bind_id" with "flow_in" and "flow_out" is what Chrome writes in the place of flow events.
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

// A counter with more series than a record has arguments is several records of one name.
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
      AddOwnArgument(event.arguments[next]);
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
    Begin(event);
    AddField(schema::field::kPhase, std::string_view("M"));
    AddArguments(event);
    return Store(StoredKind::kMetadata, kBeforeAll);
  }
  for (const std::string_view field : event.unknown) CountName(stats_.fields, field);
  return true;
}

bool TraceEventImporter::OnSample(const TraceEvent& sample) {
  ++stats_.samples;
  // `perf data convert --to-json` has samples of its own kind, with nanoseconds.
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

}  // namespace importer
