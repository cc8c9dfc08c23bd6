// SPDX-License-Identifier: BSD-2-Clause
#include "control/protocol/call.h"

#include <fmt/format.h>

#include <initializer_list>
#include <limits>

#include "text/json_document.h"

namespace control {
namespace {

using Json = rapidjson::Value;

bool IsFlag(const Json& call, const char* name) {
  const Json* found = text::FindMember(call, name);
  return found != nullptr && found->IsTrue();
}

// Reads the members of one object. Keeps the first error and ignores later ones.
class Fields {
 public:
  Fields(const Json& object, std::string prefix, std::optional<BadParameter>& bad,
         std::initializer_list<const char*> known)
      : object_(object), prefix_(std::move(prefix)), bad_(bad) {
    if (!object_.IsObject()) {
      Refuse("", "is not an object");
      return;
    }
    for (const auto& member : object_.GetObject()) {
      const std::string_view name(member.name.GetString(), member.name.GetStringLength());
      bool is_known = false;
      for (const char* one : known) is_known = is_known || name == one;
      if (!is_known) Refuse(name.substr(0, 100), "is not a parameter");
    }
  }

  // Null if the member is missing or null.
  const Json* Find(const char* name) const {
    const Json* found = text::FindMember(object_, name);
    return found == nullptr || found->IsNull() ? nullptr : found;
  }

  void Bool(const char* name, bool& value) {
    const Json* found = Find(name);
    if (found == nullptr) return;
    if (!found->IsBool()) return Refuse(name, "is not a bool");
    value = found->GetBool();
  }

  template <typename T>
  void Int(const char* name, T& value) {
    const Json* found = Find(name);
    if (found == nullptr) return;
    const auto number = text::UnsignedOf(found);
    if (!number) return Refuse(name, "is not a non-negative integer");
    if (*number > std::numeric_limits<T>::max() || *number > INT64_MAX) {
      return Refuse(name, "is too large");
    }
    value = static_cast<T>(*number);
  }

  void String(const char* name, std::string& value, size_t max_bytes) {
    const Json* found = Find(name);
    if (found != nullptr) ReadString(*found, name, value, max_bytes);
  }

  void Strings(const char* name, std::vector<std::string>& values, size_t max_count,
               size_t max_bytes) {
    const Json* found = FindArray(name, max_count);
    if (found == nullptr) return;
    for (const Json& element : found->GetArray()) {
      ReadString(element, name, values.emplace_back(), max_bytes);
    }
  }

  void Ints(const char* name, std::vector<uint32_t>& values, size_t max_count, uint32_t most) {
    const Json* found = FindArray(name, max_count);
    if (found == nullptr) return;
    for (const Json& element : found->GetArray()) {
      const auto number = text::UnsignedOf(&element);
      if (!number || *number > most) {
        return Refuse(name, fmt::format("must have only numbers from 0 to {}", most));
      }
      values.push_back(static_cast<uint32_t>(*number));
    }
  }

  // Null if the member is missing or refused.
  const Json* FindArray(const char* name, size_t max_count) {
    const Json* found = Find(name);
    if (found == nullptr) return nullptr;
    if (!found->IsArray()) {
      Refuse(name, "is not an array");
      return nullptr;
    }
    if (found->Size() > max_count) {
      Refuse(name, fmt::format("has more than {} elements", max_count));
      return nullptr;
    }
    return found;
  }

  void Refuse(std::string_view name, std::string_view why) {
    if (bad_) return;
    std::string path = prefix_;
    if (!path.empty() && !name.empty()) path += '.';
    path += name;
    if (path.empty()) path = "parameters";
    bad_ = BadParameter{path, fmt::format("{} {}", path, why)};
  }

  std::string Path(const char* name) const {
    return prefix_.empty() ? name : fmt::format("{}.{}", prefix_, name);
  }

 private:
  void ReadString(const Json& found, const char* name, std::string& value, size_t max_bytes) {
    const auto text = text::StringOf(&found);
    if (!text) return Refuse(name, "is not a string");
    if (text->size() > max_bytes) {
      return Refuse(name, fmt::format("has more than {} bytes", max_bytes));
    }
    value = *text;
    if (value.find('\0') != std::string::npos) Refuse(name, "contains a NUL");
  }

  const Json& object_;
  const std::string prefix_;
  std::optional<BadParameter>& bad_;
};

constexpr size_t kMaxPath = 4096;
constexpr size_t kMaxWord = 100;
// Largest number of filters of one kind.
constexpr size_t kMaxFilters = 100;
constexpr uint32_t kMaxTid = (uint32_t{1} << 22) - 1;

std::optional<OutputChoice> ReadOutput(const Json* json, std::optional<BadParameter>& bad) {
  if (json == nullptr) return std::nullopt;
  OutputChoice output;
  Fields fields(*json, "output", bad, {"descriptor", "path", "gzip"});
  if (fields.Find("descriptor") != nullptr) {
    uint32_t index = 0;
    fields.Int("descriptor", index);
    output.descriptor = index;
  }
  fields.String("path", output.path, kMaxPath);
  fields.Bool("gzip", output.gzip);
  if (output.descriptor.has_value() == !output.path.empty()) {
    fields.Refuse("", "needs either descriptor or path");
  }
  if (!output.path.empty() && !output.path.starts_with('/')) {
    fields.Refuse("path", "is not absolute");
  }
  return output;
}

request::TaskFilter ReadFilter(const Json& json, std::optional<BadParameter>& bad) {
  request::TaskFilter filter;
  Fields fields(json, "config.filter", bad, {"tids", "pids", "comms", "cgroups", "follow"});
  fields.Ints("tids", filter.tids, kMaxFilters, kMaxTid);
  fields.Ints("pids", filter.pids, kMaxFilters, kMaxTid);
  fields.Strings("comms", filter.comms, kMaxFilters, kMaxWord);
  fields.Strings("cgroups", filter.cgroups, kMaxFilters, kMaxPath);
  fields.Bool("follow", filter.follow);
  return filter;
}

request::Sources ReadSources(const Json& json, std::optional<BadParameter>& bad) {
  request::Sources sources;
  Fields fields(json, "config.sources", bad,
                {"tracepoints", "counters", "uprobes", "usdts", "kprobes", "request_names"});
  if (const Json* tracepoints = fields.FindArray("tracepoints", kMaxFilters)) {
    for (const Json& tracepoint : tracepoints->GetArray()) {
      request::Tracepoint& read = sources.tracepoints.emplace_back();
      Fields one(tracepoint, "config.sources.tracepoints", bad, {"name", "filter"});
      one.String("name", read.pattern, kMaxPath);
      one.String("filter", read.filter, kMaxPath);
      if (read.pattern.empty()) one.Refuse("name", "is missing");
    }
  }
  fields.Strings("counters", sources.counters, kMaxFilters, kMaxWord);
  fields.Strings("uprobes", sources.uprobes, kMaxFilters, kMaxPath);
  fields.Strings("usdts", sources.usdts, kMaxFilters, kMaxPath);
  fields.Strings("kprobes", sources.kprobes, kMaxFilters, kMaxPath);
  fields.Strings("request_names", sources.request_names, kMaxFilters, kMaxWord);
  return sources;
}

request::TraceConfig ReadConfig(const Json& json, std::optional<BadParameter>& bad) {
  request::TraceConfig config;
  Fields fields(json, "config", bad,
                {"categories", "buffer_size_megabytes_hint", "start_timeout_milliseconds",
                 "buffering_mode", "provider_specs", "filter", "sources"});
  if (fields.Find("categories") != nullptr) {
    fields.Strings("categories", config.categories.emplace(), kMaxCategories, kMaxCategoryName);
  }
  fields.Int("buffer_size_megabytes_hint", config.buffer_size_megabytes_hint);
  fields.Int("start_timeout_milliseconds", config.start_timeout_milliseconds);
  std::string mode(Name(config.buffering_mode));
  fields.String("buffering_mode", mode, kMaxWord);
  if (const auto found = request::FindBufferingMode(mode)) {
    config.buffering_mode = *found;
  } else {
    fields.Refuse("buffering_mode", "is not ONESHOT, CIRCULAR or STREAMING");
  }
  if (const Json* specs = fields.FindArray("provider_specs", kMaxProviders)) {
    for (const Json& spec : specs->GetArray()) {
      request::ProviderSpec& read = config.provider_specs.emplace_back();
      Fields one(spec, "config.provider_specs", bad, {"name", "buffer_size_megabytes_hint"});
      one.String("name", read.name, kMaxProviderName);
      one.Int("buffer_size_megabytes_hint", read.buffer_size_megabytes_hint);
      if (read.name.empty()) one.Refuse("name", "is missing");
    }
  }
  if (const Json* filter = fields.Find("filter")) config.filter = ReadFilter(*filter, bad);
  if (const Json* sources = fields.Find("sources")) config.sources = ReadSources(*sources, bad);
  return config;
}

}  // namespace

util::Result<Call> Call::Parse(std::string_view message) {
  auto json = text::ParseJson(message, kMaxDepth);
  if (!json) return json.TakeError();
  const auto method = text::StringOf(text::FindMember(*json, "method"));
  if (!method) return util::Error{"the message has no method", ""};
  if (method->size() > 255) return util::Error{"the method's name is too long", ""};
  if (method->find('.') == std::string_view::npos) {
    return util::Error{"the method's name has no interface", ""};
  }
  return Call(std::move(*json), std::string(*method));
}

Call::Call(rapidjson::Document document, std::string method)
    : document_(std::move(document)),
      method_(std::move(method)),
      more_(IsFlag(document_, "more")),
      oneway_(IsFlag(document_, "oneway")),
      upgrade_(IsFlag(document_, "upgrade")) {}

const rapidjson::Value& Call::parameters() const {
  static const rapidjson::Value kNone(rapidjson::kObjectType);
  const Json* found = text::FindMember(document_, "parameters");
  return found == nullptr || found->IsNull() ? kNone : *found;
}

std::string_view Call::interface() const {
  return std::string_view(method_).substr(0, method_.rfind('.'));
}

std::string_view Call::member() const {
  return std::string_view(method_).substr(method_.rfind('.') + 1);
}

Read<std::string> Call::ReadInterface() const {
  Read<std::string> read;
  Fields fields(parameters(), "", read.bad, {"interface"});
  fields.String("interface", read.value, 255);
  if (fields.Find("interface") == nullptr) fields.Refuse("interface", "is missing");
  return read;
}

Read<InitializeRequest> Call::ReadInitialize() const {
  Read<InitializeRequest> read;
  Fields fields(parameters(), "", read.bad, {"config", "output"});
  if (const Json* config = fields.Find("config")) {
    read.value.config = ReadConfig(*config, read.bad);
  } else {
    fields.Refuse("config", "is missing");
  }
  read.value.output = ReadOutput(fields.Find("output"), read.bad);
  if (read.value.config.buffering_mode == request::BufferingMode::kStreaming &&
      !read.value.output) {
    fields.Refuse("output", "is missing: STREAMING writes from the start on");
  }
  return read;
}

Read<request::StartOptions> Call::ReadStart() const {
  Read<request::StartOptions> read;
  Fields fields(parameters(), "", read.bad, {"options"});
  const Json* options = fields.Find("options");
  if (options == nullptr) return read;
  Fields inner(*options, "options", read.bad, {"buffer_disposition", "additional_categories"});
  std::string word(Name(read.value.buffer_disposition));
  inner.String("buffer_disposition", word, kMaxWord);
  if (const auto found = request::FindBufferDisposition(word)) {
    read.value.buffer_disposition = *found;
  } else {
    inner.Refuse("buffer_disposition", "is not CLEAR_ALL, CLEAR_NONDURABLE or RETAIN");
  }
  inner.Strings("additional_categories", read.value.additional_categories, kMaxCategories,
                kMaxCategoryName);
  return read;
}

Read<EndRequest> Call::ReadEnd() const {
  Read<EndRequest> read;
  Fields fields(parameters(), "", read.bad, {"options", "output"});
  if (const Json* options = fields.Find("options")) {
    Fields inner(*options, "options", read.bad, {"write_results"});
    inner.Bool("write_results", read.value.write_results);
  }
  read.value.output = ReadOutput(fields.Find("output"), read.bad);
  return read;
}

Read<TakeSnapshotRequest> Call::ReadSnapshot() const {
  Read<TakeSnapshotRequest> read;
  Fields fields(parameters(), "", read.bad, {"output", "last_nanoseconds"});
  read.value.output = ReadOutput(fields.Find("output"), read.bad);
  fields.Int("last_nanoseconds", read.value.last_nanoseconds);
  return read;
}

Read<std::string> Call::ReadAlert() const {
  Read<std::string> read;
  Fields fields(parameters(), "", read.bad, {"alert_name"});
  fields.String("alert_name", read.value, kMaxAlertName);
  if (!read.bad && read.value.empty()) fields.Refuse("alert_name", "is missing");
  return read;
}

Read<ProviderRequest> Call::ReadProvider() const {
  Read<ProviderRequest> read;
  Fields fields(parameters(), "", read.bad, {"name", "pid", "categories"});
  fields.String("name", read.value.name, kMaxProviderName);
  if (!read.bad && read.value.name.empty()) fields.Refuse("name", "is missing");
  // The pid in the program's own namespace is ignored. The kernel reports the real one.
  uint32_t pid = 0;
  fields.Int("pid", pid);
  fields.Strings("categories", read.value.categories, kMaxCategories, kMaxCategoryName);
  return read;
}

Read<MarkRequest> Call::ReadMark() const {
  Read<MarkRequest> read;
  Fields fields(parameters(), "", read.bad,
                {"kind", "name", "category", "value", "pid", "nanoseconds_ago"});
  std::string kind;
  fields.String("kind", kind, kMaxWord);
  if (const auto found = FindMarkKind(kind)) {
    read.value.kind = *found;
  } else {
    fields.Refuse("kind", "is not BEGIN, END, INSTANT or COUNTER");
  }
  fields.String("name", read.value.name, kMaxMarkName);
  if (!read.bad && read.value.name.empty()) fields.Refuse("name", "is missing");
  fields.String("category", read.value.category, kMaxCategoryName);
  if (const Json* value = fields.Find("value"); value != nullptr) {
    if (value->IsNumber()) {
      read.value.value = value->GetDouble();
    } else {
      fields.Refuse("value", "is not a number");
    }
  }
  fields.Int("pid", read.value.pid);
  fields.Int("nanoseconds_ago", read.value.nanoseconds_ago);
  return read;
}

Read<bool> Call::ReadNothing() const {
  Read<bool> read{};
  Fields(parameters(), "", read.bad, {});
  return read;
}

}  // namespace control
