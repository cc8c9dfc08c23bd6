// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/show/overview_report.h"
#include "schema/stack_end.h"
#include "text/json_writer.h"

namespace analyze {
namespace {

using text::JsonWriter;

void AddCounted(JsonWriter& json, const Counted& counted) {
  json.BeginObject();
  json.Unsigned("count", counted.count).Unsigned("bytes", counted.bytes);
  json.EndObject();
}

void AddCounts(JsonWriter& json, std::string_view key,
               const std::map<std::string, uint64_t>& counts) {
  json.Key(key).BeginObject();
  for (const auto& [name, count] : counts) json.Unsigned(name, count);
  json.EndObject();
}

void AddBlocked(JsonWriter& json, const Overview& overview) {
  json.Key("blocked").BeginArray();
  for (const auto& [reason, sum] : overview.blocked) {
    json.BeginObject().Key("reason");
    if (reason.empty()) {
      json.Null();
    } else {
      json.String(reason);
    }
    json.Unsigned("waits", sum.waits).Unsigned("ns", sum.ns);
    json.EndObject();
  }
  json.EndArray();
}

void AddWork(JsonWriter& json, const Overview& overview) {
  AddCounts(json, "counted", overview.counted);
  json.Unsigned("partial_runs", overview.partial_runs);
  json.Key("work").BeginArray();
  for (const auto& [koid, of_thread] : overview.work) {
    json.BeginObject();
    json.Unsigned("thread", koid);
    json.Unsigned("cycles", of_thread.cycles).Unsigned("instructions", of_thread.instructions);
    json.Key("ipc").Double(static_cast<double>(of_thread.instructions) /
                           static_cast<double>(of_thread.cycles));
    json.EndObject();
  }
  json.EndArray();
}

void AddProviders(JsonWriter& json, const Overview& overview) {
  json.Key("providers").BeginArray();
  for (const Overview::Provider& provider : overview.providers) {
    json.BeginObject();
    json.Unsigned("id", provider.id).String("name", provider.name);
    json.Unsigned("ticks_per_second", provider.ticks_per_second);
    AddCounted(json.Key("records"), provider.records);
    json.EndObject();
  }
  json.EndArray();
}

void AddCpus(JsonWriter& json, const Overview& overview) {
  json.Key("cpus").BeginArray();
  for (const auto& [cpu, counts] : overview.cpus) {
    json.BeginObject();
    json.Unsigned("cpu", cpu);
    json.Unsigned("switches", counts.switches).Unsigned("wakeups", counts.wakeups);
    json.Unsigned("busy_ns", counts.busy_ns).Unsigned("unknown_ns", counts.unknown_ns);
    json.EndObject();
  }
  json.EndArray();
}

void AddThreads(JsonWriter& json, const Overview& overview) {
  json.Key("threads").BeginArray();
  for (const auto& [koid, thread] : overview.threads) {
    json.BeginObject();
    json.Unsigned("koid", koid).String("name", overview.names->thread_name(koid));
    json.Unsigned("process", thread.process);
    json.String("process_name", overview.names->process_name(thread.process));
    json.Unsigned("switches", thread.switches).Unsigned("run_ns", thread.run_ns);
    json.Bool("idle", thread.idle);
    json.EndObject();
  }
  json.EndArray();
}

void AddBlobs(JsonWriter& json, const Overview& overview) {
  json.Key("blobs").BeginArray();
  for (const auto& [name, blob] : overview.blobs) {
    json.BeginObject();
    json.String("name", name).Unsigned("type", blob.type);
    AddCounted(json.Key("payload"), blob.payload);
    json.EndObject();
  }
  json.EndArray();
}

void AddLost(JsonWriter& json, const Overview& overview) {
  json.Key("lost").BeginArray();
  for (const auto& [key, count] : overview.lost) {
    json.BeginObject();
    json.Key("cpu").Signed(key.first).String("category", key.second).Unsigned("count", count);
    json.EndObject();
  }
  json.EndArray();
}

void AddSettings(JsonWriter& json, const Overview& overview) {
  json.Key("settings").BeginArray();
  for (const Overview::Settings& settings : overview.settings) {
    json.BeginObject();
    json.Unsigned("time_ns", settings.time);
    json.String("scope", schema::NameOf(settings.scope)).String("subject", settings.subject);
    if (settings.process) json.Unsigned("process", *settings.process);
    json.Key("values").BeginObject();
    for (const auto& [name, value] : settings.values) json.String(name, value);
    json.EndObject();
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

std::string_view KeyOf(fxt::DiagnosticKind kind) {
  switch (kind) {
    case fxt::DiagnosticKind::kUnknownRecordType:
      return "unknown-record-type";
    case fxt::DiagnosticKind::kUnknownSubtype:
      return "unknown-subtype";
    case fxt::DiagnosticKind::kUnknownArgumentType:
      return "unknown-argument-type";
    case fxt::DiagnosticKind::kRecordTooShort:
      return "record-too-short";
    case fxt::DiagnosticKind::kStringPastEnd:
      return "string-past-end";
    case fxt::DiagnosticKind::kPayloadPastEnd:
      return "payload-past-end";
    case fxt::DiagnosticKind::kArgumentPastEnd:
      return "argument-past-end";
    case fxt::DiagnosticKind::kArgumentSizeZero:
      return "argument-size-zero";
    case fxt::DiagnosticKind::kArgumentTooShort:
      return "argument-too-short";
    case fxt::DiagnosticKind::kBadMagicNumber:
      return "bad-magic-number";
    case fxt::DiagnosticKind::kZeroTickRate:
      return "zero-tick-rate";
    case fxt::DiagnosticKind::kReservedIndex:
      return "reserved-index";
    case fxt::DiagnosticKind::kRecordTooLarge:
      return "record-too-large";
    case fxt::DiagnosticKind::kUndefinedString:
      return "undefined-string";
    case fxt::DiagnosticKind::kUndefinedThread:
      return "undefined-thread";
    case fxt::DiagnosticKind::kUnknownProvider:
      return "unknown-provider";
    case fxt::DiagnosticKind::kTableLimit:
      return "table-limit";
    case fxt::DiagnosticKind::kTruncatedRecord:
      return "truncated-record";
    case fxt::DiagnosticKind::kTruncatedSource:
      return "truncated-source";
    case fxt::DiagnosticKind::kSizeZero:
      return "size-zero";
    case fxt::DiagnosticKind::kBytesSkipped:
      return "bytes-skipped";
    case fxt::DiagnosticKind::kCount:
      break;
  }
  return "?";
}

std::string OverviewJson(const std::string& file, const Overview& overview) {
  fmt::memory_buffer buffer;
  JsonWriter json(buffer, text::JsonStyle::kIndented);
  json.BeginObject();
  json.String("file", file);
  json.Unsigned("bytes", overview.bytes).Unsigned("records", overview.records);
  if (overview.first_time) {
    json.Unsigned("first_time_ns", *overview.first_time);
    json.Unsigned("last_time_ns", *overview.last_time);
  }
  json.Unsigned("duration_ns", overview.duration_ns());
  json.Unsigned("window_ns", overview.window_ns);
  json.Bool("truncated", overview.truncated);
  if (!overview.error.empty()) json.String("error", overview.error);
  json.Key("session").BeginObject();
  for (const auto& [name, value] : overview.session) json.String(name, value);
  json.EndObject();
  json.Key("kinds").BeginObject();
  for (size_t i = 0; i < facts::kRecordKinds; ++i) {
    if (overview.kinds[i].count == 0) continue;
    AddCounted(json.Key(facts::NameOf(static_cast<facts::RecordKind>(i))), overview.kinds[i]);
  }
  json.EndObject();
  if (!overview.settings.empty()) AddSettings(json, overview);
  if (!overview.blocked.empty()) AddBlocked(json, overview);
  if (!overview.counted.empty()) AddWork(json, overview);
  json.Unsigned("events", overview.events());
  AddProviders(json, overview);
  AddCpus(json, overview);
  AddThreads(json, overview);
  json.Unsigned("named_threads", overview.names->threads().size());
  json.Unsigned("named_processes", overview.names->CountProcesses());
  AddCounts(json, "categories", overview.categories);
  AddBlobs(json, overview);
  json.Unsigned("lost_events", overview.lost_events());
  AddLost(json, overview);
  json.Unsigned("buffer_filled_events", overview.buffer_filled_events);
  json.Unsigned("unseen_switches", overview.unseen_switches);
  json.Key("stack_ends").BeginObject();
  for (uint8_t end = 1; end < FXR_STACK_ENDS; ++end) {
    if (overview.stack_ends.of(end) == 0) continue;
    json.Unsigned(schema::kStackEnds[end].name, overview.stack_ends.of(end));
  }
  json.EndObject();
  json.Key("diagnostics").BeginObject();
  for (size_t i = 0; i < fxt::kDiagnosticKinds; ++i) {
    if (overview.diagnostics[i] == 0) continue;
    json.Unsigned(KeyOf(static_cast<fxt::DiagnosticKind>(i)), overview.diagnostics[i]);
  }
  json.EndObject();
  json.EndObject();
  return fmt::to_string(buffer);
}

}  // namespace analyze
