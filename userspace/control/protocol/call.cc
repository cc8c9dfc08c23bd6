// SPDX-License-Identifier: BSD-2-Clause
#include "control/protocol/call.h"

#include <fmt/format.h>

#include <initializer_list>
#include <limits>

#include "control/protocol/json.h"

namespace control {
namespace {

bool IsFlag(const Json& call, const char* name) {
  const Json* found = call.Find(name);
  const bool* flag = found == nullptr ? nullptr : found->AsBool();
  return flag != nullptr && *flag;
}

// The fields of one object. After the first one that is wrong the others do not matter.
class Fields {
 public:
  Fields(const Json& object, std::string prefix, std::optional<BadParameter>& bad,
         std::initializer_list<const char*> known)
      : object_(object), prefix_(std::move(prefix)), bad_(bad) {
    if (object_.AsObject() == nullptr) {
      Refuse("", "is no object");
      return;
    }
    for (const std::string& name : object_.AsObject()->names) {
      bool is_known = false;
      for (const char* one : known) is_known = is_known || name == one;
      if (!is_known) Refuse(name.substr(0, 100), "is not a parameter");
    }
  }

  // Null where it is not given.
  const Json* Find(const char* name) const {
    const Json* found = object_.Find(name);
    return found == nullptr || found->IsNull() ? nullptr : found;
  }

  void Bool(const char* name, bool& value) {
    const Json* found = Find(name);
    if (found == nullptr) return;
    if (found->AsBool() == nullptr) return Refuse(name, "is no bool");
    value = *found->AsBool();
  }

  template <typename T>
  void Int(const char* name, T& value) {
    const Json* found = Find(name);
    if (found == nullptr) return;
    const uint64_t* number = found->AsWhole();
    if (number == nullptr) return Refuse(name, "is no whole number of 0 or more");
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
    const Json::Array* found = FindArray(name, max_count);
    if (found == nullptr) return;
    for (const Json& element : *found) {
      ReadString(element, name, values.emplace_back(), max_bytes);
    }
  }

  void Ints(const char* name, std::vector<uint32_t>& values, size_t max_count, uint32_t most) {
    const Json::Array* found = FindArray(name, max_count);
    if (found == nullptr) return;
    for (const Json& element : *found) {
      const uint64_t* number = element.AsWhole();
      if (number == nullptr || *number > most) {
        return Refuse(name, fmt::format("has something else than numbers of 0 to {}", most));
      }
      values.push_back(static_cast<uint32_t>(*number));
    }
  }

  const Json::Array* FindArray(const char* name, size_t max_count) {
    const Json* found = Find(name);
    if (found == nullptr) return nullptr;
    const Json::Array* array = found->AsArray();
    if (array == nullptr) {
      Refuse(name, "is no array");
    } else if (array->size() > max_count) {
      Refuse(name, fmt::format("has more than {} elements", max_count));
      return nullptr;
    }
    return array;
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
    if (found.AsString() == nullptr) return Refuse(name, "is no string");
    value = *found.AsString();
    if (value.size() > max_bytes) {
      value.clear();
      return Refuse(name, fmt::format("has more than {} bytes", max_bytes));
    }
    if (value.find('\0') != std::string::npos) Refuse(name, "has a NUL in it");
  }

  const Json& object_;
  const std::string prefix_;
  std::optional<BadParameter>& bad_;
};

constexpr size_t kMaxPath = 4096;
constexpr size_t kMaxWord = 100;
// Of one kind.
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
    fields.Refuse("", "takes one of descriptor and path");
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
  Fields fields(json, "config.sources", bad, {"tracepoints", "counters", "uprobes", "usdts"});
  if (const Json::Array* tracepoints = fields.FindArray("tracepoints", kMaxFilters)) {
    for (const Json& tracepoint : *tracepoints) {
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
    fields.Refuse("buffering_mode", "is none of ONESHOT, CIRCULAR and STREAMING");
  }
  if (const Json::Array* specs = fields.FindArray("provider_specs", kMaxProviders)) {
    for (const Json& spec : *specs) {
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

Call::Call() : parameters_(std::make_unique<Json>(Json::EmptyObject())) {}
Call::Call(Call&&) noexcept = default;
Call& Call::operator=(Call&&) noexcept = default;
Call::~Call() = default;

util::Result<Call> Call::Parse(std::string_view message) {
  auto json = ParseObject(message);
  if (!json) return json.TakeError();
  const Json* method = json->Find("method");
  if (method == nullptr || method->AsString() == nullptr) {
    return util::Error{"the message names no method", ""};
  }
  Call call;
  call.method_ = *method->AsString();
  if (call.method_.size() > 255) return util::Error{"the method's name is too long", ""};
  if (call.method_.find('.') == std::string::npos) {
    return util::Error{"the method has no interface", ""};
  }
  call.more_ = IsFlag(*json, "more");
  call.oneway_ = IsFlag(*json, "oneway");
  call.upgrade_ = IsFlag(*json, "upgrade");
  Json parameters = json->Take("parameters");
  if (!parameters.IsNull()) call.parameters_ = std::make_unique<Json>(std::move(parameters));
  return call;
}

std::string_view Call::interface() const {
  return std::string_view(method_).substr(0, method_.rfind('.'));
}

std::string_view Call::member() const {
  return std::string_view(method_).substr(method_.rfind('.') + 1);
}

Read<std::string> Call::ReadInterface() const {
  Read<std::string> read;
  Fields fields(*parameters_, "", read.bad, {"interface"});
  fields.String("interface", read.value, 255);
  if (fields.Find("interface") == nullptr) fields.Refuse("interface", "is missing");
  return read;
}

Read<InitializeRequest> Call::ReadInitialize() const {
  Read<InitializeRequest> read;
  Fields fields(*parameters_, "", read.bad, {"config", "output"});
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
  Fields fields(*parameters_, "", read.bad, {"options"});
  const Json* options = fields.Find("options");
  if (options == nullptr) return read;
  Fields inner(*options, "options", read.bad, {"buffer_disposition", "additional_categories"});
  std::string word(Name(read.value.buffer_disposition));
  inner.String("buffer_disposition", word, kMaxWord);
  if (const auto found = request::FindBufferDisposition(word)) {
    read.value.buffer_disposition = *found;
  } else {
    inner.Refuse("buffer_disposition", "is none of CLEAR_ALL, CLEAR_NONDURABLE and RETAIN");
  }
  inner.Strings("additional_categories", read.value.additional_categories, kMaxCategories,
                kMaxCategoryName);
  return read;
}

Read<EndRequest> Call::ReadEnd() const {
  Read<EndRequest> read;
  Fields fields(*parameters_, "", read.bad, {"options", "output"});
  if (const Json* options = fields.Find("options")) {
    Fields inner(*options, "options", read.bad, {"write_results"});
    inner.Bool("write_results", read.value.write_results);
  }
  read.value.output = ReadOutput(fields.Find("output"), read.bad);
  return read;
}

Read<TakeSnapshotRequest> Call::ReadSnapshot() const {
  Read<TakeSnapshotRequest> read;
  Fields fields(*parameters_, "", read.bad, {"output", "last_nanoseconds"});
  read.value.output = ReadOutput(fields.Find("output"), read.bad);
  fields.Int("last_nanoseconds", read.value.last_nanoseconds);
  return read;
}

Read<std::string> Call::ReadAlert() const {
  Read<std::string> read;
  Fields fields(*parameters_, "", read.bad, {"alert_name"});
  fields.String("alert_name", read.value, kMaxAlertName);
  if (!read.bad && read.value.empty()) fields.Refuse("alert_name", "is missing");
  return read;
}

Read<ProviderRequest> Call::ReadProvider() const {
  Read<ProviderRequest> read;
  Fields fields(*parameters_, "", read.bad, {"name", "pid", "categories"});
  fields.String("name", read.value.name, kMaxProviderName);
  if (!read.bad && read.value.name.empty()) fields.Refuse("name", "is missing");
  // As the program knows itself; the kernel says who it is.
  uint32_t pid = 0;
  fields.Int("pid", pid);
  fields.Strings("categories", read.value.categories, kMaxCategories, kMaxCategoryName);
  return read;
}

Read<MarkRequest> Call::ReadMark() const {
  Read<MarkRequest> read;
  Fields fields(*parameters_, "", read.bad,
                {"kind", "name", "category", "value", "pid", "nanoseconds_ago"});
  std::string kind;
  fields.String("kind", kind, kMaxWord);
  if (const auto found = FindMarkKind(kind)) {
    read.value.kind = *found;
  } else {
    fields.Refuse("kind", "is none of BEGIN, END, INSTANT and COUNTER");
  }
  fields.String("name", read.value.name, kMaxMarkName);
  if (!read.bad && read.value.name.empty()) fields.Refuse("name", "is missing");
  fields.String("category", read.value.category, kMaxCategoryName);
  if (const Json* value = fields.Find("value"); value != nullptr) {
    if (const auto number = value->AsNumber()) {
      read.value.value = *number;
    } else {
      fields.Refuse("value", "is no number");
    }
  }
  fields.Int("pid", read.value.pid);
  fields.Int("nanoseconds_ago", read.value.nanoseconds_ago);
  return read;
}

Read<bool> Call::ReadNothing() const {
  Read<bool> read{};
  Fields(*parameters_, "", read.bad, {});
  return read;
}

}  // namespace control
