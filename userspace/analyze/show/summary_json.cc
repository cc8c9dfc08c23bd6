// SPDX-License-Identifier: BSD-2-Clause
#include <nlohmann/json.hpp>

#include "analyze/show/summary_report.h"
#include "fxt/utf8.h"

namespace analyze {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const Counted& counted) { return {{"count", counted.count}, {"bytes", counted.bytes}}; }

std::string Text(std::string_view name) { return fxt::ToValidUtf8(name); }

Json Threads(const Summary& summary) {
  Json list = Json::array();
  for (const auto& [koid, thread] : summary.threads) {
    list.push_back({{"koid", koid},
                    {"name", Text(summary.names.thread_name(koid))},
                    {"process", thread.process},
                    {"process_name", Text(summary.names.process_name(thread.process))},
                    {"switches", thread.switches},
                    {"run_ns", thread.run_ns},
                    {"idle", thread.idle}});
  }
  return list;
}

Json Lost(const Summary& summary) {
  Json list = Json::array();
  for (const auto& [key, count] : summary.lost) {
    list.push_back({{"cpu", key.first}, {"category", Text(key.second)}, {"count", count}});
  }
  return list;
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

std::string SummaryJson(const std::string& file, const Summary& summary) {
  Json json;
  json["file"] = Text(file);
  json["bytes"] = summary.bytes;
  json["records"] = summary.records;
  if (summary.first_time) {
    json["first_time_ns"] = *summary.first_time;
    json["last_time_ns"] = *summary.last_time;
  }
  json["duration_ns"] = summary.duration_ns();
  json["truncated"] = summary.truncated;
  if (!summary.error.empty()) json["error"] = summary.error;
  Json& session = json["session"] = Json::object();
  for (const auto& [name, value] : summary.session) session[Text(name)] = Text(value);
  Json& kinds = json["kinds"] = Json::object();
  for (size_t i = 0; i < facts::kRecordKinds; ++i) {
    if (summary.kinds[i].count == 0) continue;
    kinds[std::string(facts::NameOf(static_cast<facts::RecordKind>(i)))] = ToJson(summary.kinds[i]);
  }
  json["events"] = summary.events();
  Json& providers = json["providers"] = Json::array();
  for (const Summary::Provider& provider : summary.providers) {
    providers.push_back({{"id", provider.id},
                         {"name", Text(provider.name)},
                         {"ticks_per_second", provider.ticks_per_second},
                         {"records", ToJson(provider.records)}});
  }
  Json& cpus = json["cpus"] = Json::array();
  for (const auto& [cpu, counts] : summary.cpus) {
    cpus.push_back({{"cpu", cpu},
                    {"switches", counts.switches},
                    {"wakeups", counts.wakeups},
                    {"busy_ns", counts.busy_ns},
                    {"unknown_ns", counts.unknown_ns}});
  }
  json["threads"] = Threads(summary);
  json["named_threads"] = summary.names.threads().size();
  json["named_processes"] = summary.names.processes().size();
  Json& categories = json["categories"] = Json::object();
  for (const auto& [name, count] : summary.categories) categories[Text(name)] = count;
  Json& blobs = json["blobs"] = Json::array();
  for (const auto& [name, blob] : summary.blobs) {
    blobs.push_back({{"name", Text(name)}, {"type", blob.type}, {"payload", ToJson(blob.payload)}});
  }
  json["lost_events"] = summary.lost_events();
  json["lost"] = Lost(summary);
  json["buffer_filled_events"] = summary.buffer_filled_events;
  json["unseen_switches"] = summary.unseen_switches;
  Json& notes = json["diagnostics"] = Json::object();
  for (size_t i = 0; i < fxt::kDiagnosticKinds; ++i) {
    if (summary.diagnostics[i] == 0) continue;
    notes[std::string(KeyOf(static_cast<fxt::DiagnosticKind>(i)))] = summary.diagnostics[i];
  }
  return json.dump(2, ' ', true, Json::error_handler_t::replace);
}

}  // namespace analyze
