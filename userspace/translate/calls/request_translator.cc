// SPDX-License-Identifier: BSD-2-Clause
#include "translate/calls/request_translator.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <iterator>
#include <utility>

#include "fxt/utf8.h"
#include "translate/calls/request_name.h"
#include "util/format_library.h"

namespace translate {
namespace {

// Further texts are written inline with each span, because a file's string table never shrinks.
constexpr size_t kMaxTexts = 8192;
constexpr size_t kMaxTextBytes = 200;

constexpr std::string_view kMappedIpv4("\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);

// An IPv6 socket may have an IPv4 peer (::ffff:a.b.c.d).
std::string_view Unmapped(std::string_view address) {
  return address.starts_with(kMappedIpv4) ? address.substr(kMappedIpv4.size()) : address;
}

bool IsLoopback(std::string_view address) {
  constexpr std::string_view kIpv6("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16);
  return address.size() == 4 ? address[0] == 127 : address == kIpv6;
}

std::string EndText(std::string_view address, uint32_t port) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const bool is_ipv4 = address.size() == sizeof(in_addr);
  inet_ntop(is_ipv4 ? AF_INET : AF_INET6, address.data(), text.data(), text.size());
  return is_ipv4 ? fmt::format("{}:{}", text.data(), port)
                 : fmt::format("[{}]:{}", text.data(), port);
}

std::string EndKey(std::string_view here, uint32_t here_port, std::string_view there,
                   uint32_t there_port, uint32_t net) {
  // A loopback address belongs to one network namespace. Other addresses may connect two namespaces
  // of this machine, so they are compared without the namespace.
  return fmt::format("{}:{} {}:{} {}", here, here_port, there, there_port,
                     IsLoopback(here) ? net : 0);
}

std::string UnixName(std::string_view path) {
  if (path.empty()) return "unix socket";
  if (path[0] == '\0') return "@" + std::string(path.substr(1));
  return std::string(path.substr(0, path.find('\0')));
}

// The arguments of a trace context, with OpenTelemetry's names and format. The texts are inline and
// not in the file's string table, because few records share an id.
class ContextTexts {
 public:
  static constexpr size_t kCount = 2;

  explicit ContextTexts(std::span<const std::byte> ids) {
    constexpr size_t kTraceBytes = sizeof(fxr_thread_context::trace_id);
    for (size_t i = 0; i < ids.size(); ++i) {
      fmt::format_to(std::back_inserter(i < kTraceBytes ? trace_ : span_), "{:02x}",
                     static_cast<unsigned>(ids[i]));
    }
  }

  // Returns the number of arguments. They are valid as long as this.
  template <size_t size>
  size_t Put(OpenRecord& record, std::array<fxt::Argument, size>& arguments, size_t count) const {
    if (trace_.empty()) return count;
    arguments[count++] = {record.Intern("trace_id"), fxt::StringRef::Inline(trace_)};
    arguments[count++] = {record.Intern("span_id"), fxt::StringRef::Inline(span_)};
    return count;
  }

 private:
  std::string trace_;
  std::string span_;
};

}  // namespace

RequestTranslator::Outcome RequestTranslator::OnConnection(uint64_t time,
                                                           const fxr_connection_long& event,
                                                           std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Connection connection;
  connection.is_server = event.side == FXR_REQUEST_SERVER;
  if (event.family == AF_UNIX) {
    connection.ends = UnixName(text);
    connection.name = connection.ends;
    connection.key = fmt::format("{:x}", event.socket);
    connection.peer_key = fmt::format("{:x}", event.peer);
  } else {
    if (text.size() != 2 * sizeof(in_addr) && text.size() != 2 * sizeof(in6_addr)) {
      return Outcome::kMalformed;
    }
    const std::string_view here = Unmapped(text.substr(0, text.size() / 2));
    const std::string_view there = Unmapped(text.substr(text.size() / 2));
    const uint32_t here_port = event.ports >> 16;
    const uint32_t there_port = event.ports & 0xffff;
    connection.ends = EndText(here, here_port) + " -> " + EndText(there, there_port);
    connection.key = EndKey(here, here_port, there, there_port, event.net);
    connection.peer_key = EndKey(there, there_port, here, here_port, event.net);
    connection.port = connection.is_server ? here_port : there_port;
    connection.name = schema::ServiceOfPort(connection.port);
    if (connection.name.empty()) {
      const bool is_elsewhere = !connection.is_server && !IsLoopback(there);
      connection.name =
          is_elsewhere ? EndText(there, there_port) : fmt::format(":{}", connection.port);
    }
  }
  if (!connection.is_server) connection.name.insert(0, "to ");
  const auto known = connections_.find(event.connection);
  if (known != connections_.end()) {
    if (known->second.key == connection.key) return Outcome::kNothing;
    if (known->second.is_open) End(time, known->second, "lost");
    Forget(known);
  }
  if (connections_.size() >= kMaxConnections) MakeRoom(time);
  connection.id = ++last_id_;
  by_end_[connection.key] = event.connection;
  connections_.emplace(event.connection, std::move(connection));
  return Outcome::kNothing;
}

void RequestTranslator::MakeRoom(uint64_t time) {
  for (auto& [number, connection] : connections_) {
    if (connection.is_open) End(time, connection, "lost");
  }
  connections_.clear();
  by_end_.clear();
}

void RequestTranslator::Forget(Connections::iterator connection) {
  const auto end = by_end_.find(connection->second.key);
  if (end != by_end_.end() && end->second == connection->first) by_end_.erase(end);
  connections_.erase(connection);
}

void RequestTranslator::Use(Connection& connection, uint32_t tid) {
  const model::ThreadHandle handle = tasks_.Thread(tid);
  const model::ProcessHandle process = tasks_.table().thread(handle).process;
  connection.tid = tid;
  connection.tgid = process == model::kNoHandle ? 0 : tasks_.table().process(process).tgid;
}

RequestTranslator::Outcome RequestTranslator::OnReceive(uint64_t time, uint32_t number,
                                                        uint32_t tid, uint64_t bytes,
                                                        std::string_view text) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return Outcome::kUnknown;
  Connection& connection = found->second;
  Use(connection, tid);
  if (!connection.is_server) {
    if (!connection.is_open) return Outcome::kNothing;
    connection.in = bytes;
    End(time, connection, "");
    return Outcome::kRecorded;
  }
  if (connection.is_open) End(time, connection, "lost");
  connection.in = bytes;
  connection.out = 0;
  connection.is_open = true;
  // If the protocol is known, so short a text is only the start of a request, and the span begins
  // when the text continues. Otherwise it may be a whole request, whose span begins now.
  if (connection.is_named && !text.empty() && bytes < FXR_REQUEST_LEAST_TEXT_BYTES) {
    connection.short_text = text;
  } else {
    BeginNamed(time, connection, text, bytes);
  }
  return Outcome::kRecorded;
}

RequestTranslator::Outcome RequestTranslator::OnText(uint64_t time,
                                                     const fxr_request_text_long& event,
                                                     std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if ((event.bytes & FXR_REQUEST_TEXT_CONTINUES) != 0) return Continue(time, event, text);
  return OnReceive(time, event.connection, event.tid, event.bytes, text);
}

RequestTranslator::Outcome RequestTranslator::Continue(uint64_t time,
                                                       const fxr_request_text_long& event,
                                                       std::string_view text) {
  const auto found = connections_.find(event.connection);
  if (found == connections_.end()) return Outcome::kUnknown;
  Connection& connection = found->second;
  if (connection.short_text.empty()) return Outcome::kNothing;
  const std::string whole = std::exchange(connection.short_text, {}) + std::string(text);
  Use(connection, event.tid);
  BeginNamed(time, connection, whole, connection.in + (event.bytes & ~FXR_REQUEST_TEXT_CONTINUES));
  return Outcome::kNothing;
}

void RequestTranslator::BeginNamed(uint64_t time, Connection& connection, std::string_view text,
                                   uint64_t bytes) {
  std::string name;
  if (!text.empty()) name = NameOfRequest(text, bytes, connection.port, protocols_);
  connection.is_named |= !name.empty();
  connection.is_pipelined = !name.empty() && IsPipelined(text, bytes, protocols_);
  Begin(time, connection, name.empty() ? std::string_view(connection.name) : name);
}

RequestTranslator::Outcome RequestTranslator::OnSend(uint64_t time, uint32_t number, uint32_t tid,
                                                     uint64_t bytes,
                                                     std::span<const std::byte> context) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return Outcome::kUnknown;
  Connection& connection = found->second;
  Use(connection, tid);
  if (connection.is_server) {
    // The server sends first, for example a greeting.
    if (!connection.is_open) return Outcome::kNothing;
    connection.out = bytes;
    End(time, connection, "", context);
    return Outcome::kRecorded;
  }
  if (connection.is_open) End(time, connection, "lost");
  connection.in = 0;
  connection.out = bytes;
  Begin(time, connection, connection.name, context);
  return Outcome::kRecorded;
}

RequestTranslator::Outcome RequestTranslator::OnMore(const fxr_request_more_body& event) {
  const auto found = connections_.find(event.connection);
  if (found == connections_.end()) return Outcome::kUnknown;
  Connection& connection = found->second;
  if (connection.is_open) (connection.is_server ? connection.in : connection.out) += event.bytes;
  return Outcome::kNothing;
}

RequestTranslator::Outcome RequestTranslator::OnClose(uint64_t time,
                                                      const fxr_request_close_body& event) {
  const auto found = connections_.find(event.connection);
  if (found == connections_.end()) return Outcome::kNothing;
  // A client that shut down its sending side can still receive the response.
  const bool ends = found->second.is_open && (found->second.is_server || event.closed != 0);
  if (ends) End(time, found->second, "closed");
  if (event.closed != 0) Forget(found);
  return ends ? Outcome::kRecorded : Outcome::kNothing;
}

void RequestTranslator::OnLoss(uint64_t time) {
  for (auto& [number, connection] : connections_) {
    if (connection.is_open) End(time, connection, "lost");
  }
}

fxt::StringRef RequestTranslator::Text(OpenRecord& record, std::string_view text,
                                       std::string& scratch) {
  const std::string_view valid = fxt::CutUtf8(fxt::ToValidUtf8(text, scratch), kMaxTextBytes);
  if (texts_.size() < kMaxTexts) texts_.emplace(valid);
  return texts_.contains(std::string(valid)) ? record.Intern(valid) : fxt::StringRef::Inline(valid);
}

void RequestTranslator::Begin(uint64_t time, Connection& connection, std::string_view name,
                              std::span<const std::byte> context) {
  connection.is_open = true;
  connection.span_name = name;
  std::array<std::string, 2> scratch;
  const ContextTexts ids(context);
  OpenRecord record = file_.Begin(tasks_.Thread(connection.tid));
  std::array<fxt::Argument, 3 + ContextTexts::kCount> arguments;
  size_t count = 0;
  arguments[count++] = {record.Intern("side"),
                        record.Intern(connection.is_server ? "server" : "client")};
  arguments[count++] = {record.Intern("connection"), Text(record, connection.ends, scratch[0])};
  if (connection.is_pipelined) arguments[count++] = {record.Intern("pipelined"), true};
  count = ids.Put(record, arguments, count);
  record.Write(fxt::Event{.type = fxt::EventType::kAsyncBegin,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(FXR_CATEGORY_REQUEST),
                          .name = Text(record, connection.span_name, scratch[1]),
                          .arguments = {arguments.data(), count},
                          .payload = connection.id});
}

void RequestTranslator::End(uint64_t time, Connection& connection, std::string_view problem,
                            std::span<const std::byte> context) {
  if (!std::exchange(connection.short_text, {}).empty()) BeginNamed(time, connection, {}, 0);
  connection.is_open = false;
  uint32_t peer_pid = 0;
  if (const auto peer = by_end_.find(connection.peer_key); peer != by_end_.end()) {
    const auto found = connections_.find(peer->second);
    if (found != connections_.end()) peer_pid = found->second.tgid;
  }
  std::string scratch;
  const ContextTexts ids(context);
  OpenRecord record = file_.Begin(tasks_.Thread(connection.tid));
  std::array<fxt::Argument, 4 + ContextTexts::kCount> arguments;
  size_t count = 0;
  arguments[count++] = {record.Intern("bytes_in"), connection.in};
  arguments[count++] = {record.Intern("bytes_out"), connection.out};
  if (peer_pid != 0) arguments[count++] = {record.Intern("peer_pid"), peer_pid};
  if (!problem.empty()) arguments[count++] = {record.Intern("unanswered"), record.Intern(problem)};
  count = ids.Put(record, arguments, count);
  record.Write(fxt::Event{.type = fxt::EventType::kAsyncEnd,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(FXR_CATEGORY_REQUEST),
                          .name = Text(record, connection.span_name, scratch),
                          .arguments = {arguments.data(), count},
                          .payload = connection.id});
}

}  // namespace translate
