// SPDX-License-Identifier: BSD-2-Clause
#include "control/client/client.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <cerrno>
#include <cmath>
#include <cstring>

#include "control/protocol/descriptors.h"
#include "control/protocol/interface_text.h"
#include "text/json_document.h"
#include "text/json_writer.h"
#include "util/clock.h"

namespace control {
namespace {

// Timeouts of calls that reply at once, and of calls that write a file.
constexpr std::chrono::milliseconds kQuick{20'000};
constexpr std::chrono::milliseconds kLong{600'000};

bool IsAbsent(int error) { return error == ENOENT || error == ECONNREFUSED || error == ENOTDIR; }

// On failure sets `*error` and returns an empty descriptor.
util::UniqueFd ConnectTo(const std::string& path, int* error) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, path.data(), path.size());
  util::UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // A controller that does not accept connections counts as absent.
  const timeval timeout{.tv_sec = kQuick.count() / 1000, .tv_usec = 0};
  setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return fd;
  }
  *error = errno;
  return {};
}

class Parameters {
 public:
  Parameters() { json_.BeginObject(); }
  text::JsonWriter& Key(std::string_view name) { return json_.Key(name); }
  // Writes the output, which is the first descriptor of the call.
  void Output(const std::optional<PassedOutput>& output) {
    if (!output) return;
    json_.Key("output").BeginObject();
    json_.Key("descriptor").Unsigned(0);
    json_.Key("gzip").Bool(output->gzip);
    json_.EndObject();
  }
  std::string Finish() {
    json_.EndObject();
    return fmt::to_string(buffer_);
  }

 private:
  fmt::memory_buffer buffer_;
  text::JsonWriter json_{buffer_};
};

void AppendNumbers(text::JsonWriter& json, const std::vector<uint32_t>& numbers) {
  json.BeginArray();
  for (const uint32_t number : numbers) json.Unsigned(number);
  json.EndArray();
}

void AppendStrings(text::JsonWriter& json, const std::vector<std::string>& strings) {
  json.BeginArray();
  for (const std::string& each : strings) json.String(each);
  json.EndArray();
}

void AppendFilter(text::JsonWriter& json, const request::TaskFilter& filter) {
  json.BeginObject();
  AppendNumbers(json.Key("tids"), filter.tids);
  AppendNumbers(json.Key("pids"), filter.pids);
  AppendStrings(json.Key("comms"), filter.comms);
  AppendStrings(json.Key("cgroups"), filter.cgroups);
  json.Key("follow").Bool(filter.follow);
  json.EndObject();
}

void AppendSources(text::JsonWriter& json, const request::Sources& sources) {
  json.BeginObject();
  json.Key("tracepoints").BeginArray();
  for (const request::Tracepoint& tracepoint : sources.tracepoints) {
    json.BeginObject();
    json.Key("name").String(tracepoint.pattern);
    json.Key("filter").String(tracepoint.filter);
    json.EndObject();
  }
  json.EndArray();
  AppendStrings(json.Key("counters"), sources.counters);
  AppendStrings(json.Key("uprobes"), sources.uprobes);
  AppendStrings(json.Key("usdts"), sources.usdts);
  AppendStrings(json.Key("kprobes"), sources.kprobes);
  AppendStrings(json.Key("request_names"), sources.request_names);
  json.EndObject();
}

using Json = rapidjson::Value;

std::string Text(const Json& object, const char* name) {
  return std::string(text::StringOf(text::FindMember(object, name)).value_or(""));
}

double Number(const Json& object, const char* name) {
  const Json* found = text::FindMember(object, name);
  return found != nullptr && found->IsNumber() ? found->GetDouble() : 0;
}

uint64_t Unsigned(const Json& object, const char* name) {
  return text::UnsignedOf(text::FindMember(object, name)).value_or(0);
}

uint64_t Nanoseconds(const Json& object, const char* name) {
  return static_cast<uint64_t>(std::llround(std::clamp(Number(object, name), 0.0, 9e9) * 1e9));
}

const Json& Member(const Json& object, const char* name) {
  static const Json kNone;
  const Json* found = text::FindMember(object, name);
  return found != nullptr ? *found : kNone;
}

Json::ConstArray Elements(const Json& object, const char* name) {
  static const Json kNone(rapidjson::kArrayType);
  const Json& found = Member(object, name);
  return (found.IsArray() ? found : kNone).GetArray();
}

std::optional<request::WrittenTrace> ReadWritten(const Json& parameters) {
  const Json& json = Member(parameters, "written");
  if (!json.IsObject() || json.ObjectEmpty()) return std::nullopt;
  return request::WrittenTrace{Unsigned(json, "bytes"), Unsigned(json, "events"),
                               Nanoseconds(json, "covered_seconds")};
}

SessionState StateOf(std::string_view word) {
  for (int number = 1; number <= 7; ++number) {
    const auto state = static_cast<SessionState>(number);
    if (word == Name(state)) return state;
  }
  return SessionState::kReady;
}

}  // namespace

class Client::Answer {
 public:
  explicit Answer(rapidjson::Document document) : document_(std::move(document)) {}
  const Json& parameters() const { return Member(document_, "parameters"); }

 private:
  rapidjson::Document document_;
};

util::Result<Client> Client::Connect(const std::string& path) {
  if (path.empty() || path.size() >= sizeof(sockaddr_un::sun_path)) {
    return util::Error{
        fmt::format("'{}' cannot be the path of a socket: it has {} bytes", path, path.size()), ""};
  }
  int error = 0;
  util::UniqueFd fd = ConnectTo(path, &error);
  if (fd) return Client(std::move(fd), path);
  if (IsAbsent(error)) {
    return util::Error{fmt::format("no controller is running: no program serves {}", path),
                       "sudo fxt-record start begins a session in the background, fxt-record serve "
                       "runs a controller in the foreground"};
  }
  if (error == EACCES) {
    return util::Error{fmt::format("no permission to control the session: {}", path),
                       "run it with sudo, or as a member of the group given to serve --group"};
  }
  return util::Error{fmt::format("cannot reach the controller at {}: {}", path,
                                 error == EAGAIN ? "it does not reply" : strerror(error)),
                     ""};
}

bool Client::IsServed(const std::string& path) {
  int error = 0;
  return path.size() < sizeof(sockaddr_un::sun_path) &&
         (ConnectTo(path, &error).valid() || !IsAbsent(error));
}

util::Error Client::Ended() {
  gone_ = true;
  return {fmt::format("the controller at {} closed the connection without a reply", path_),
          "see its messages: journalctl -u fxt-record"};
}

util::Result<std::string> Client::Receive(std::chrono::milliseconds timeout) {
  const uint64_t deadline =
      util::MonotonicNow() + static_cast<uint64_t>(timeout.count()) * 1'000'000;
  std::vector<util::UniqueFd> unwanted;
  std::string buffer(size_t{64} << 10, '\0');
  for (;;) {
    if (auto message = splitter_.Next()) return std::move(*message);
    const uint64_t now = util::MonotonicNow();
    if (now >= deadline) {
      return util::Error{fmt::format("the controller at {} does not reply", path_), ""};
    }
    pollfd ready{socket_.get(), POLLIN, 0};
    poll(&ready, 1, static_cast<int>((deadline - now) / 1'000'000 + 1));
    if (ready.revents == 0) continue;
    const ssize_t got =
        ReceiveWithDescriptors(socket_.get(), buffer.data(), buffer.size(), unwanted);
    unwanted.clear();
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Ended();
    if (!splitter_.Append({buffer.data(), static_cast<size_t>(got)})) return Ended();
  }
}

util::Result<Client::Answer> Client::Call(std::string_view member, std::string_view parameters,
                                          std::chrono::milliseconds timeout, int descriptor) {
  std::string message = fmt::format(R"({{"method":"{}.{}","parameters":{}}})", kControllerInterface,
                                    member, parameters);
  message.push_back('\0');
  last_error_.clear();
  std::string_view left = message;
  while (!left.empty()) {
    const ssize_t sent = SendWithDescriptor(socket_.get(), left, descriptor);
    if (sent < 0 && errno == EINTR) continue;
    // The controller may have sent a reply, such as a refusal.
    if (sent <= 0) break;
    descriptor = -1;
    left.remove_prefix(static_cast<size_t>(sent));
  }
  auto reply = Receive(timeout);
  if (!reply) return reply.TakeError();
  auto json = text::ParseJson(*reply, kMaxDepth);
  if (!json || !json->IsObject()) {
    return util::Error{fmt::format("the program that serves {} is not a controller: {}", path_,
                                   json ? "its reply is not an object" : json.error().message),
                       ""};
  }
  const std::string error = Text(*json, "error");
  if (error.empty()) return Answer(std::move(*json));
  const Json& answer = Member(*json, "parameters");
  last_error_ = error.substr(error.rfind('.') + 1);
  std::string said = Text(answer, "message");
  if (said.empty()) said = fmt::format("the controller refused {}", member);
  return util::Error{fmt::format("{} ({})", said, last_error_), Text(answer, "hint")};
}

util::Status Client::Initialize(const request::TraceConfig& config,
                                std::optional<PassedOutput> output) {
  Parameters parameters;
  text::JsonWriter& json = parameters.Key("config").BeginObject();
  if (config.categories) AppendStrings(json.Key("categories"), *config.categories);
  json.Key("buffer_size_megabytes_hint").Unsigned(config.buffer_size_megabytes_hint);
  json.Key("start_timeout_milliseconds").Unsigned(config.start_timeout_milliseconds);
  json.Key("buffering_mode").String(Name(config.buffering_mode));
  if (config.filter.any()) AppendFilter(json.Key("filter"), config.filter);
  if (config.sources.any()) AppendSources(json.Key("sources"), config.sources);
  json.EndObject();
  parameters.Output(output);
  auto answer = Call("InitializeTracing", parameters.Finish(), kLong, output ? output->fd : -1);
  if (!answer) return answer.TakeError();
  return util::Ok();
}

util::Status Client::Start(const request::StartOptions& options) {
  Parameters parameters;
  text::JsonWriter& json = parameters.Key("options").BeginObject();
  json.Key("buffer_disposition").String(Name(options.buffer_disposition));
  AppendStrings(json.Key("additional_categories"), options.additional_categories);
  json.EndObject();
  auto answer = Call("StartTracing", parameters.Finish(), kLong);
  if (!answer) return answer.TakeError();
  return util::Ok();
}

util::Result<std::optional<request::WrittenTrace>> Client::End(std::string_view member,
                                                               bool write_results,
                                                               std::optional<PassedOutput> output) {
  Parameters parameters;
  parameters.Key("options").BeginObject().Key("write_results").Bool(write_results).EndObject();
  parameters.Output(output);
  auto answer = Call(member, parameters.Finish(), kLong, output ? output->fd : -1);
  if (!answer) return answer.TakeError();
  const Json& found = answer->parameters();
  return ReadWritten(text::FindMember(found, "result") != nullptr ? Member(found, "result")
                                                                  : found);
}

util::Result<std::optional<request::WrittenTrace>> Client::Stop(
    bool write_results, std::optional<PassedOutput> output) {
  return End("StopTracing", write_results, output);
}

util::Result<std::optional<request::WrittenTrace>> Client::Terminate(
    bool write_results, std::optional<PassedOutput> output) {
  return End("TerminateTracing", write_results, output);
}

util::Result<std::optional<request::WrittenTrace>> Client::TakeSnapshot(PassedOutput output,
                                                                        uint64_t last) {
  Parameters parameters;
  parameters.Output(output);
  if (last != 0) parameters.Key("last_nanoseconds").Unsigned(last);
  auto answer = Call("TakeSnapshot", parameters.Finish(), kLong, output.fd);
  if (!answer) return answer.TakeError();
  return ReadWritten(answer->parameters());
}

util::Status Client::SendAlert(const std::string& name) {
  Parameters parameters;
  parameters.Key("alert_name").String(name);
  auto answer = Call("SendAlert", parameters.Finish(), kQuick);
  if (!answer) return answer.TakeError();
  return util::Ok();
}

util::Result<bool> Client::SendMark(const MarkRequest& mark) {
  Parameters parameters;
  parameters.Key("kind").String(Name(mark.kind));
  parameters.Key("name").String(mark.name);
  parameters.Key("category").String(mark.category);
  parameters.Key("value").Double(mark.value);
  parameters.Key("pid").Unsigned(mark.pid);
  parameters.Key("nanoseconds_ago").Unsigned(mark.nanoseconds_ago);
  auto answer = Call("SendMark", parameters.Finish(), kQuick);
  if (!answer) return answer.TakeError();
  return Member(answer->parameters(), "recorded").IsTrue();
}

util::Result<Status> Client::GetStatus() {
  auto answer = Call("GetStatus", "{}", kQuick);
  if (!answer) return answer.TakeError();
  const Json& json = Member(answer->parameters(), "status");
  Status status;
  status.state = StateOf(Text(json, "state"));
  status.buffering_mode = request::FindBufferingMode(Text(json, "buffering_mode"));
  status.covered = Nanoseconds(json, "covered_seconds");
  status.started = Nanoseconds(json, "started_seconds");
  status.buffer_bytes = Unsigned(json, "buffer_bytes");
  status.events = Unsigned(json, "events");
  status.lost = Unsigned(json, "lost");
  status.cpu_time = Nanoseconds(json, "cpu_seconds");
  status.resident_bytes = Unsigned(json, "resident_bytes");
  for (const Json& each : Elements(json, "categories")) {
    status.categories.push_back(
        {Text(each, "name"), Unsigned(each, "events"), Unsigned(each, "lost")});
  }
  for (const Json& each : Elements(json, "providers")) {
    status.providers.push_back({static_cast<uint32_t>(Unsigned(each, "id")),
                                static_cast<uint32_t>(Unsigned(each, "pid")), Text(each, "name")});
  }
  status.providers_refused = Unsigned(json, "providers_refused");
  if (const Json& unwind = Member(json, "unwind"); unwind.IsObject()) {
    status.unwind = {Unsigned(unwind, "tables"), Unsigned(unwind, "table_bytes"),
                     Unsigned(unwind, "max_table_bytes"), Unsigned(unwind, "unloaded")};
  }
  for (const Json& each : Elements(json, "triggers")) {
    status.triggers.push_back({Text(each, "condition"), Unsigned(each, "fired"),
                               Unsigned(each, "suppressed"), Unsigned(each, "files")});
  }
  status.reason = Text(json, "reason");
  status.pid = static_cast<uint32_t>(Unsigned(json, "pid"));
  status.version = Text(json, "version");
  return status;
}

}  // namespace control
