// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/show/trace_event_writer.h"

#include <algorithm>

#include "analyze/show/imported_fields.h"
#include "analyze/show/trace_event_value.h"
#include "branches/last_branch.h"
#include "facts/record_kind.h"
#include "facts/scheduling.h"
#include "schema/koid.h"
#include "schema/names.h"
#include "text/clean_text.h"
#include "util/format_library.h"

namespace analyze {
namespace {

// Process of the CPU tracks: no koid of a recorder (tids end at 2^22, and the generations above
// them), and a number that every reader takes.
constexpr uint64_t kCpuTracksProcess = 0x7fffffff;

// The priority of nice 0, for threads whose record has none.
constexpr int64_t kUsualPriority = 120;

}  // namespace

TraceEventWriter::TraceEventWriter(text::TextWriter& out, TraceEventOptions options)
    : out_(out),
      options_(options),
      events_(out.buffer()),
      samples_(sample_spool_.buffer()),
      branches_(branch_spool_.buffer()) {}

// The head waits for what an imported file has in it.
text::JsonWriter& TraceEventWriter::Line() {
  if (!begun_) {
    begun_ = true;
    events_.BeginObject().Key("displayTimeUnit").String(display_unit_);
    events_.Key("traceEvents").BeginArray();
  }
  return events_.Line();
}

util::Status TraceEventWriter::Add(const fxt::Reader& reader) {
  const fxt::Record& record = reader.record();
  const bool is_kernels = timeline_.IsKernels(reader.provider());
  names_.Note(record, is_kernels);
  if (const auto* object = std::get_if<fxt::KernelObject>(&record); object && IsImported(reader)) {
    AddImportedObject(*object);
  }
  frames_.Note(record);
  states_.Note(record);
  if (options_.cpu_slices) timeline_.Add(reader);
  switch (facts::KindOf(record)) {
    case facts::RecordKind::kSwitch:
      if (is_kernels) AddSwitch(reader);
      break;
    case facts::RecordKind::kWakeup:
      if (is_kernels) AddWakeup(reader);
      break;
    case facts::RecordKind::kLog:
      AddLog(reader, std::get<fxt::Log>(record));
      break;
    case facts::RecordKind::kBlob:
      AddBranches(std::get<fxt::Blob>(record));
      break;
    case facts::RecordKind::kLargeBlob:
      if (const auto* blob = std::get_if<fxt::LargeBlobWithMetadata>(&record)) {
        AddLargeBlob(reader, *blob);
      } else {
        ++counts_.left_out;
      }
      break;
    case facts::RecordKind::kUserspaceObject:
    case facts::RecordKind::kModule:
    case facts::RecordKind::kMmap:
    case facts::RecordKind::kBacktrace:
    case facts::RecordKind::kUnknown:
    case facts::RecordKind::kTraceInfo:
      ++counts_.left_out;
      break;
    default:
      if (const auto* event = std::get_if<fxt::Event>(&record)) AddEvent(reader, *event);
  }
  out_.FlushIfFull();
  if (auto status = branch_spool_.FlushIfFull(); !status) return status;
  if (auto status = sample_spool_.FlushIfFull(); !status) return status;
  return system_spool_.FlushIfFull();
}

void TraceEventWriter::BeginEvent(std::string_view phase, uint64_t time,
                                  const fxt::ThreadRef& thread) {
  // A line per event: files are looked at with less and grep.
  Line().BeginObject().Key("ph").String(phase).Key("ts").Microseconds(time);
  events_.Key("pid");
  numbers_.WritePid(thread.process, events_);
  events_.Key("tid");
  numbers_.WriteTid(thread.thread, events_);
}

void TraceEventWriter::Arguments(std::span<const fxt::Argument> arguments) {
  for (const fxt::Argument& argument : arguments) {
    events_.Key(argument.name.text);
    WriteTraceEventValue(events_, argument.value);
  }
}

void TraceEventWriter::AddEvent(const fxt::Reader& reader, const fxt::Event& event) {
  const bool imported = IsImported(reader);
  if (imported && IsImportHead(event)) return TakeProperties(event);
  const ImportedFields fields(imported ? event.arguments : std::span<const fxt::Argument>());
  if (fields.is_made()) return;
  ++counts_.events;
  uint64_t time = reader.ToNanoseconds(event.timestamp);
  if (fields.is_sample()) return AddSample(event, time, fields);
  if (fields.late()) time -= std::min(time, *fields.late());
  BeginEvent(fields.phase().empty() ? TraceEventPhase(event.type) : fields.phase(), time,
             event.thread);
  events_.Key("cat").String(event.category.text).Key("name").String(event.name.text);
  switch (event.type) {
    case fxt::EventType::kInstant:
      if (!fields.has_scope() && (fields.phase().empty() || fields.phase() == "I")) {
        events_.Key("s").String("t");
      }
      break;
    case fxt::EventType::kCounter:
      if (event.payload != 0 && !fields.has_id()) events_.Key("id").Hex(event.payload);
      break;
    case fxt::EventType::kDurationComplete: {
      const uint64_t end = reader.ToNanoseconds(event.payload);
      events_.Key("dur").Microseconds(end > time ? end - time : 0);
      break;
    }
    case fxt::EventType::kFlowEnd:
      // "The end of the flow is associated with the enclosing duration event."
      if (!fields.late()) events_.Key("bp").String("e");
      [[fallthrough]];
    default:
      if (fields.duration()) {
        events_.Key("dur").Microseconds(*fields.duration());
      } else if (HasPayload(event.type) && !fields.has_id())
        events_.Key("id").Hex(event.payload);
  }
  if (const auto frame = frames_.FrameOf(event))
    events_.Key("sf").String(fmt::format("{}", *frame));
  fields.Write(events_, frames_);
  events_.Key("args");
  if (fields.whole_arguments() != nullptr) {
    fields.WriteValue(*fields.whole_arguments(), events_);
  } else {
    events_.BeginObject();
    if (imported) {
      ImportedArguments(fields, event.arguments);
    } else {
      Arguments(event.arguments);
    }
    events_.EndObject();
  }
  events_.EndObject();
}

void TraceEventWriter::AddLog(const fxt::Reader& reader, const fxt::Log& log) {
  ++counts_.logs;
  BeginEvent("i", reader.ToNanoseconds(log.timestamp), log.thread);
  events_.Key("cat").String("log").Key("name").String("log").Key("s").String("g");
  events_.Key("args").BeginObject().Key("message").String(log.message).EndObject().EndObject();
}

void TraceEventWriter::AddLargeBlob(const fxt::Reader& reader,
                                    const fxt::LargeBlobWithMetadata& blob) {
  ++counts_.events;
  BeginEvent("i", reader.ToNanoseconds(blob.timestamp), blob.thread);
  events_.Key("cat").String(blob.category.text).Key("name").String(blob.name.text);
  events_.Key("s").String("t").Key("args").BeginObject();
  Arguments(blob.arguments);
  events_.Key("blob_bytes").Unsigned(blob.payload.size()).EndObject().EndObject();
}

// Perfetto reads no \u escapes in this text, so that names must not need any.
void TraceEventWriter::AppendSystemLine() {
  fmt::memory_buffer json;
  text::AppendJsonString(json, {line_.data(), line_.size()});
  fmt::memory_buffer& text = system_spool_.buffer();
  text.append(json.data() + 1, json.data() + json.size() - 1);  // without its quotes
  text.append(std::string_view("\\n"));
  line_.clear();
}

// chrome://tracing refuses ftrace text whose clock it cannot relate to that of `traceEvents`.
void TraceEventWriter::AppendClockSync(uint64_t time) {
  const std::string seconds = fmt::format("{}.{:09}", time / 1'000'000'000, time % 1'000'000'000);
  fmt::format_to(std::back_inserter(line_),
                 "<idle>-0 (-----) [000] .... {0}: tracing_mark_write: trace_event_clock_sync: "
                 "parent_ts={0}",
                 seconds);
  AppendSystemLine();
}

std::string TraceEventWriter::TaskName(fxt::Koid thread) const {
  const std::string& name = names_.thread_name(thread);
  return name.empty() ? "<...>" : text::CleanText(name);
}

void TraceEventWriter::BeginSystemLine(std::optional<fxt::Koid> thread, uint32_t cpu,
                                       uint64_t time) {
  if (system_spool_.empty()) AppendClockSync(time);
  const auto out = std::back_inserter(line_);
  const facts::TaskNames::Thread* known = thread ? names_.thread(*thread) : nullptr;
  if (!thread || (known != nullptr && known->process == schema::kIdleProcessKoid)) {
    fmt::format_to(out, "<idle>-0 (-----)");
  } else if (known == nullptr || !known->process) {
    fmt::format_to(out, "{}-{} (-----)", TaskName(*thread), numbers_.Tid(*thread));
  } else {
    fmt::format_to(out, "{}-{} ({})", TaskName(*thread), numbers_.Tid(*thread),
                   numbers_.Pid(*known->process));
  }
  fmt::format_to(out, " [{:03}] .... {}.{:09}: ", cpu, time / 1'000'000'000, time % 1'000'000'000);
}

void TraceEventWriter::AddSwitch(const fxt::Reader& reader) {
  const auto record = facts::AsSwitch(reader.record(), reader.provider());
  if (!record) return;
  ++counts_.switches;
  const auto side = [&](const facts::SwitchSide& s, std::string_view which) {
    fmt::format_to(std::back_inserter(line_), "{0}_comm={1} {0}_pid={2} {0}_prio={3}", which,
                   s.idle ? fmt::format("swapper/{}", record->cpu) : TaskName(s.thread),
                   s.idle ? 0 : numbers_.Tid(s.thread),
                   s.idle ? kUsualPriority : s.priority.value_or(kUsualPriority));
  };
  const facts::SwitchSide& out = record->outgoing;
  BeginSystemLine(out.idle ? std::nullopt : std::optional(out.thread), record->cpu, record->time);
  line_.append(std::string_view("sched_switch: "));
  side(out, "prev");
  fmt::format_to(std::back_inserter(line_), " prev_state={} ==> ",
                 out.idle ? "R" : states_.Letters(out.thread, record->outgoing_state));
  side(record->incoming, "next");
  AppendSystemLine();
}

void TraceEventWriter::Slices::OnRun(const facts::Run& run) const {
  const bool cut = run.began == facts::Bound::kFileEdge || run.ended == facts::Bound::kFileEdge;
  // A thread that only leaves at the end of a gap has no run to show.
  const bool only_leaves = run.began != facts::Bound::kSeen && run.begin == run.end;
  if (!cut && !only_leaves) writer.AddSlice(run);
}

void TraceEventWriter::Slices::OnGap(const facts::Gap& gap) const {
  if (!gap.shown || gap.ended == facts::Bound::kFileEdge) return;
  writer.AddSlice({.cpu = gap.cpu,
                   .thread = schema::LostKoid(gap.cpu),
                   .process = schema::kLostProcessKoid,
                   .begin = gap.begin,
                   .end = gap.end});
}

// A begin and an end rather than a complete event: with times as doubles, begin plus duration may
// come out behind the begin of the next slice, and speedscope takes the two for nested then. It
// also wants the arguments of both to be the same.
void TraceEventWriter::AddSlice(const facts::Run& run) {
  ++counts_.slices;
  const std::string& name = names_.thread_name(run.thread);
  for (const char* phase : {"B", "E"}) {
    BeginEvent(phase, *phase == 'B' ? run.begin : run.end,
               fxt::ThreadRef::Inline(kCpuTracksProcess, run.cpu));
    events_.Key("cat").String("sched");
    events_.Key("name").String(name.empty() ? fmt::format("{}", run.thread) : name);
    events_.Key("args").BeginObject().Key("tid").Unsigned(run.thread);
    if (run.process) events_.Key("pid").Unsigned(*run.process);
    events_.EndObject().EndObject();
  }
}

void TraceEventWriter::AddWakeup(const fxt::Reader& reader) {
  const auto record = facts::AsWakeup(reader.record(), reader.provider());
  if (!record) return;
  ++counts_.wakeups;
  BeginSystemLine(record->waker, record->cpu, record->time);
  fmt::format_to(std::back_inserter(line_), "sched_waking: comm={} pid={} prio={} target_cpu={:03}",
                 TaskName(record->thread), numbers_.Tid(record->thread),
                 record->weight.value_or(kUsualPriority), record->cpu);
  AppendSystemLine();
}

// As trace2json writes them, times in ticks included.
void TraceEventWriter::AddBranches(const fxt::Blob& blob) {
  const auto view = branches::LastBranchView::Of(blob);
  if (!view) {
    ++counts_.left_out;
    return;
  }
  ++counts_.branch_stacks;
  branches_.Line().BeginObject().Key("cpu").Unsigned(view->cpu());
  branches_.Key("aspace").Unsigned(view->address_space());
  branches_.Key("event_time").Unsigned(view->time()).Key("branches").BeginArray();
  for (size_t i = 0; i < view->branches(); ++i) {
    const branches::LastBranch branch = view->branch(i);
    branches_.BeginObject().Key("from").Unsigned(branch.from).Key("to").Unsigned(branch.to);
    branches_.Key("info").Unsigned(branch.info).EndObject();
  }
  branches_.EndArray().EndObject();
}

void TraceEventWriter::MetadataEvent(std::string_view what, uint64_t process,
                                     std::optional<uint64_t> thread, std::string_view name) {
  Line().BeginObject().Key("ph").String("M").Key("name").String(what);
  events_.Key("pid");
  numbers_.WritePid(process, events_);
  if (thread) {
    events_.Key("tid");
    numbers_.WriteTid(*thread, events_);
  }
  events_.Key("args").BeginObject().Key("name").String(name).EndObject().EndObject();
  out_.FlushIfFull();
}

// Names are the last ones of a trace: programs are renamed while they start.
void TraceEventWriter::Names() {
  for (const facts::TaskNames::Process& process : names_.processes()) {
    if (names_.process_name(process.koid).empty() || IsImporter(process.koid)) continue;
    MetadataEvent("process_name", process.koid, std::nullopt, *process.name);
  }
  for (const facts::TaskNames::Thread& thread : names_.threads()) {
    if (!thread.process || names_.thread_name(thread.koid).empty() || IsImporter(*thread.process))
      continue;
    MetadataEvent("thread_name", *thread.process, thread.koid, *thread.name);
  }
  if (counts_.slices == 0) return;
  MetadataEvent("process_name", kCpuTracksProcess, std::nullopt, "CPUs");
  Line().BeginObject().Key("ph").String("M").Key("name").String("process_sort_index");
  events_.Key("pid").Unsigned(kCpuTracksProcess);
  events_.Key("args").BeginObject().Key("sort_index").Signed(-1).EndObject().EndObject();
  for (uint32_t cpu = 0; cpu < timeline_.cpus().size(); ++cpu) {
    if (timeline_.cpus()[cpu].switches == 0) continue;
    MetadataEvent("thread_name", kCpuTracksProcess, cpu, fmt::format("CPU {}", cpu));
  }
}

util::Status TraceEventWriter::Finish() {
  Names();
  if (!begun_) Line();
  events_.EndArray();
  if (!system_spool_.empty()) {
    events_.Key("systemTraceEvents").Json("\"# tracer: nop\\n#\\n");
    if (auto status = system_spool_.CopyTo(out_); !status) return status;
    out_.Append("\"");
    // The clock of `traceEvents`, as the line of AppendClockSync() has it. chrome://tracing has no
    // name for CLOCK_BOOTTIME. A trace that was imported may have the property already.
    if (!properties_.contains("metadata")) {
      events_.Key("metadata").BeginObject();
      events_.Key("clock-domain").String("LINUX_CLOCK_MONOTONIC").EndObject();
    }
  }
  if (!sample_spool_.empty()) {
    events_.Key("samples").BeginArray();
    events_.Spliced(true);
    if (auto status = sample_spool_.CopyTo(out_); !status) return status;
    events_.EndArray();
  }
  if (!branch_spool_.empty()) {
    events_.Key("lastBranch").BeginObject().Key("records").BeginArray();
    events_.Spliced(true);
    if (auto status = branch_spool_.CopyTo(out_); !status) return status;
    events_.EndArray().EndObject();
  }
  if (!frames_.empty()) frames_.Write(events_, out_);
  WriteProperties();
  events_.EndObject();
  out_.Append("\n");
  return util::Ok();
}

}  // namespace analyze
