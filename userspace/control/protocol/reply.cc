// SPDX-License-Identifier: BSD-2-Clause
#include "control/protocol/reply.h"

#include <fmt/format.h>

#include "control/protocol/interface_text.h"

namespace control {
namespace {

using Write = std::function<void(text::JsonWriter&)>;

std::string Message(const Write& write_parameters, bool continues = false,
                    std::string_view error = {}) {
  fmt::memory_buffer buffer;
  text::JsonWriter json(buffer);
  json.BeginObject();
  if (!error.empty()) json.Key("error").String(error);
  json.Key("parameters").BeginObject();
  if (write_parameters) write_parameters(json);
  json.EndObject();
  if (continues) json.Key("continues").Bool(true);
  json.EndObject();
  buffer.push_back('\0');
  return fmt::to_string(buffer);
}

double Seconds(uint64_t ns) { return static_cast<double>(ns) / 1e9; }

void AppendWritten(text::JsonWriter& json, const std::optional<request::WrittenTrace>& written) {
  json.Key("written");
  if (!written) {
    json.Null();
    return;
  }
  json.BeginObject();
  json.Key("bytes").Unsigned(written->bytes);
  json.Key("events").Unsigned(written->events);
  json.Key("covered_seconds").Double(Seconds(written->covered));
  json.EndObject();
}

void AppendProviders(text::JsonWriter& json, const std::vector<ProviderInfo>& providers) {
  json.Key("providers").BeginArray();
  for (const ProviderInfo& provider : providers) {
    json.BeginObject();
    json.Key("id").Unsigned(provider.id);
    json.Key("pid").Unsigned(provider.pid);
    json.Key("name").String(provider.name);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

namespace reply {

std::string Empty() { return Message({}); }

std::string Error(const Failure& failure) {
  return Message(
      [&](text::JsonWriter& json) {
        json.Key("message").String(failure.message);
        json.Key("hint").String(failure.hint);
      },
      false, fmt::format("{}.{}", kControllerInterface, failure.error));
}

std::string ServiceError(std::string_view error, std::string_view parameter,
                         std::string_view value) {
  return Message([&](text::JsonWriter& json) { json.Key(parameter).String(value); }, false,
                 fmt::format("{}.{}", kServiceInterface, error));
}

std::string InvalidParameter(const BadParameter& bad) {
  return Message(
      [&](text::JsonWriter& json) {
        json.Key("parameter").String(bad.name);
        json.Key("message").String(bad.message);
      },
      false, fmt::format("{}.InvalidParameter", kServiceInterface));
}

std::string PermissionDenied(std::string_view message) {
  return ServiceError("PermissionDenied", "message", message);
}

std::string Info() {
  return Message([](text::JsonWriter& json) {
    json.Key("vendor").String("fxt-record");
    json.Key("product").String("fxt-record tracing controller");
    json.Key("version").String(FXT_RECORD_VERSION);
    json.Key("url").String("https://fuchsia.dev/reference/fidl/fuchsia.tracing.controller");
    json.Key("interfaces").BeginArray();
    json.String(kServiceInterface).String(kControllerInterface);
    json.EndArray();
  });
}

std::string Description(std::string_view text) {
  return Message([&](text::JsonWriter& json) { json.Key("description").String(text); });
}

std::string Categories(const std::vector<KnownCategory>& categories) {
  return Message([&](text::JsonWriter& json) {
    json.Key("categories").BeginArray();
    for (const KnownCategory& category : categories) {
      json.BeginObject();
      json.Key("name").String(category.name);
      json.Key("description").String(category.description);
      json.EndObject();
    }
    json.EndArray();
  });
}

std::string Providers(const std::vector<ProviderInfo>& providers) {
  return Message([&](text::JsonWriter& json) { AppendProviders(json, providers); });
}

std::string State(SessionState state, bool continues) {
  return Message([&](text::JsonWriter& json) { json.Key("state").String(Name(state)); }, continues);
}

std::string Alert(std::string_view name, bool continues) {
  return Message([&](text::JsonWriter& json) { json.Key("alert_name").String(name); }, continues);
}

std::string ProviderState(uint32_t id, SessionState state, bool has_buffer) {
  return Message(
      [&](text::JsonWriter& json) {
        json.Key("id").Unsigned(id);
        json.Key("state").String(Name(state));
        json.Key("buffer");
        if (has_buffer) {
          json.BeginObject().Key("descriptor").Unsigned(0).EndObject();
        } else {
          json.Null();
        }
      },
      true);
}

std::string Recorded(bool recorded) {
  return Message([&](text::JsonWriter& json) { json.Key("recorded").Bool(recorded); });
}

std::string Result(const std::optional<request::WrittenTrace>& written) {
  return Message([&](text::JsonWriter& json) { AppendWritten(json, written); });
}

std::string TerminateResult(const std::optional<request::WrittenTrace>& written) {
  return Message([&](text::JsonWriter& json) {
    json.Key("result").BeginObject();
    AppendWritten(json, written);
    json.EndObject();
  });
}

std::string StatusReport(const Status& status) {
  return Message([&](text::JsonWriter& json) {
    json.Key("status");
    AppendStatus(json, status);
  });
}

}  // namespace reply

void AppendStatus(text::JsonWriter& json, const Status& status) {
  json.BeginObject();
  json.Key("state").String(Name(status.state));
  json.Key("buffering_mode");
  status.buffering_mode ? json.String(Name(*status.buffering_mode)) : json.Null();
  json.Key("covered_seconds").Double(Seconds(status.covered));
  json.Key("started_seconds").Double(Seconds(status.started));
  json.Key("buffer_bytes").Unsigned(status.buffer_bytes);
  json.Key("events").Unsigned(status.events);
  json.Key("lost").Unsigned(status.lost);
  json.Key("cpu_seconds").Double(Seconds(status.cpu_time));
  json.Key("resident_bytes").Unsigned(status.resident_bytes);
  json.Key("categories").BeginArray();
  for (const CategoryCount& category : status.categories) {
    json.BeginObject();
    json.Key("name").String(category.name);
    json.Key("events").Unsigned(category.events);
    json.Key("lost").Unsigned(category.lost);
    json.EndObject();
  }
  json.EndArray();
  AppendProviders(json, status.providers);
  json.Key("providers_refused").Unsigned(status.providers_refused);
  if (status.unwind) {
    json.Key("unwind").BeginObject();
    json.Key("tables").Unsigned(status.unwind->tables);
    json.Key("table_bytes").Unsigned(status.unwind->table_bytes);
    json.Key("max_table_bytes").Unsigned(status.unwind->max_table_bytes);
    json.Key("unloaded").Unsigned(status.unwind->unloaded);
    json.EndObject();
  }
  json.Key("triggers").BeginArray();
  for (const TriggerStatus& trigger : status.triggers) {
    json.BeginObject();
    json.Key("condition").String(trigger.condition);
    json.Key("fired").Unsigned(trigger.fired);
    json.Key("suppressed").Unsigned(trigger.suppressed);
    json.Key("files").Unsigned(trigger.files);
    json.EndObject();
  }
  json.EndArray();
  json.Key("reason").String(status.reason);
  json.Key("version").String(status.version);
  json.Key("pid").Unsigned(status.pid);
  json.EndObject();
}

}  // namespace control
