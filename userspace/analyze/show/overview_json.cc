// SPDX-License-Identifier: BSD-2-Clause
#include <nlohmann/json.hpp>

#include "analyze/show/overview_report.h"
#include "fxt/utf8.h"

namespace analyze {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const Counted& counted) { return {{"count", counted.count}, {"bytes", counted.bytes}}; }

std::string Text(std::string_view name) { return fxt::ToValidUtf8(name); }

Json Threads(const Overview& overview) {
  Json list = Json::array();
  for (const auto& [koid, thread] : overview.threads) {
    list.push_back({{"koid", koid},
                    {"name", Text(overview.names.thread_name(koid))},
                    {"process", thread.process},
                    {"process_name", Text(overview.names.process_name(thread.process))},
                    {"switches", thread.switches},
                    {"run_ns", thread.run_ns},
                    {"idle", thread.idle}});
  }
  return list;
}

Json Lost(const Overview& overview) {
  Json list = Json::array();
  for (const auto& [key, count] : overview.lost) {
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

std::string OverviewJson(const std::string& file, const Overview& overview) {
  Json json;
  json["file"] = Text(file);
  json["bytes"] = overview.bytes;
  json["records"] = overview.records;
  if (overview.first_time) {
    json["first_time_ns"] = *overview.first_time;
    json["last_time_ns"] = *overview.last_time;
  }
  json["duration_ns"] = overview.duration_ns();
  json["truncated"] = overview.truncated;
  if (!overview.error.empty()) json["error"] = overview.error;
  Json& session = json["session"] = Json::object();
  for (const auto& [name, value] : overview.session) session[Text(name)] = Text(value);
  Json& kinds = json["kinds"] = Json::object();
  for (size_t i = 0; i < facts::kRecordKinds; ++i) {
    if (overview.kinds[i].count == 0) continue;
    kinds[std::string(facts::NameOf(static_cast<facts::RecordKind>(i)))] =
        ToJson(overview.kinds[i]);
  }
  if (!overview.blocked.empty()) {
    Json& blocked = json["blocked"] = Json::array();
    for (const auto& [reason, sum] : overview.blocked) {
      blocked.push_back({{"reason", reason.empty() ? Json() : Json(Text(reason))},
                         {"waits", sum.waits},
                         {"ns", sum.ns}});
    }
  }
  if (!overview.counted.empty()) {
    Json& counted = json["counted"] = Json::object();
    for (const auto& [name, count] : overview.counted) counted[Text(name)] = count;
    json["partial_runs"] = overview.partial_runs;
    Json& work = json["work"] = Json::array();
    for (const auto& [koid, of_thread] : overview.work) {
      work.push_back({{"thread", koid},
                      {"cycles", of_thread.cycles},
                      {"instructions", of_thread.instructions},
                      {"ipc", static_cast<double>(of_thread.instructions) /
                                  static_cast<double>(of_thread.cycles)}});
    }
  }
  json["events"] = overview.events();
  Json& providers = json["providers"] = Json::array();
  for (const Overview::Provider& provider : overview.providers) {
    providers.push_back({{"id", provider.id},
                         {"name", Text(provider.name)},
                         {"ticks_per_second", provider.ticks_per_second},
                         {"records", ToJson(provider.records)}});
  }
  Json& cpus = json["cpus"] = Json::array();
  for (const auto& [cpu, counts] : overview.cpus) {
    cpus.push_back({{"cpu", cpu},
                    {"switches", counts.switches},
                    {"wakeups", counts.wakeups},
                    {"busy_ns", counts.busy_ns},
                    {"unknown_ns", counts.unknown_ns}});
  }
  json["threads"] = Threads(overview);
  json["named_threads"] = overview.names.threads().size();
  json["named_processes"] = overview.names.processes().size();
  Json& categories = json["categories"] = Json::object();
  for (const auto& [name, count] : overview.categories) categories[Text(name)] = count;
  Json& blobs = json["blobs"] = Json::array();
  for (const auto& [name, blob] : overview.blobs) {
    blobs.push_back({{"name", Text(name)}, {"type", blob.type}, {"payload", ToJson(blob.payload)}});
  }
  json["lost_events"] = overview.lost_events();
  json["lost"] = Lost(overview);
  json["buffer_filled_events"] = overview.buffer_filled_events;
  json["unseen_switches"] = overview.unseen_switches;
  Json& notes = json["diagnostics"] = Json::object();
  for (size_t i = 0; i < fxt::kDiagnosticKinds; ++i) {
    if (overview.diagnostics[i] == 0) continue;
    notes[std::string(KeyOf(static_cast<fxt::DiagnosticKind>(i)))] = overview.diagnostics[i];
  }
  return json.dump(2, ' ', true, Json::error_handler_t::replace);
}

}  // namespace analyze
