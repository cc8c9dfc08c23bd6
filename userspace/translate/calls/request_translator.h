// SPDX-License-Identifier: BSD-2-Clause
// Derives requests from the receives and sends of connections, and writes them as asynchronous
// spans. A connection has at most one open request. docs/requests.md defines requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "fxt/text_map.h"
#include "fxt_record/event.h"
#include "fxt_record/long_event.h"
#include "fxt_record/thread_context.h"
#include "model/task_tracker.h"
#include "schema/request_protocols.h"
#include "translate/file/trace_writer.h"

namespace translate {

class RequestTranslator {
 public:
  // Result of an event.
  enum class Outcome : uint8_t {
    kRecorded,  // the event began or ended a request
    kNothing,   // the event changes no request, such as a server's greeting
    kUnknown,   // the connection was not announced
    kMalformed,
  };
  // Limit of connections in memory. The BPF programs announce a dropped one again.
  static constexpr size_t kMaxConnections = 65'536;

  // Both outlive the translator.
  RequestTranslator(TraceWriter& file, model::TaskTracker& tasks,
                    const schema::RequestProtocols& protocols)
      : file_(file), tasks_(tasks), protocols_(protocols) {}

  // Times are ns of the file's clock. `bytes` are those after the event's header.
  Outcome OnConnection(uint64_t time, const fxr_connection_long& event,
                       std::span<const std::byte> bytes);
  Outcome OnReceive(uint64_t time, const fxr_request_receive_body& event) {
    return OnReceive(time, event.connection, event.tid, event.bytes, {});
  }
  Outcome OnText(uint64_t time, const fxr_request_text_long& event,
                 std::span<const std::byte> bytes);
  Outcome OnSend(uint64_t time, const fxr_request_send_body& event) {
    return OnSend(time, event.connection, event.tid, event.bytes, {});
  }
  // `ids` has FXR_THREAD_CONTEXT_ID_BYTES bytes.
  Outcome OnContext(uint64_t time, const fxr_request_context_long& event,
                    std::span<const std::byte> ids) {
    return OnSend(time, event.connection, event.tid, event.bytes, ids);
  }
  Outcome OnMore(const fxr_request_more_body& event);
  Outcome OnClose(uint64_t time, const fxr_request_close_body& event);
  // Events were lost. Ends all open requests, because their ends may be among the lost events.
  void OnLoss(uint64_t time);

 private:
  struct Connection {
    bool is_server = false;
    bool is_open = false;       // a request has begun
    bool is_pipelined = false;  // it consists of several pipelined requests
    uint32_t port = 0;          // of the server; 0: a Unix socket
    uint32_t tgid = 0;          // of the last thread that used it
    uint32_t tid = 0;           // that thread
    uint64_t id = 0;            // of the spans
    uint64_t in = 0;            // bytes of the request
    uint64_t out = 0;
    std::string name;  // of requests without a name of their own
    std::string ends;  // its addresses
    std::string key;   // of this end in `by_end_`
    std::string peer_key;
    std::string span_name;  // of the open request
    bool is_named = false;  // one of its requests had a name of its own
    // A text too short for a name. The request begins when the text continues. Empty: none.
    std::string short_text;
  };
  using Connections = std::unordered_map<uint32_t, Connection>;

  Outcome OnReceive(uint64_t time, uint32_t number, uint32_t tid, uint64_t bytes,
                    std::string_view text);
  // `context`: trace id and span id of the sending thread; empty: none.
  Outcome OnSend(uint64_t time, uint32_t number, uint32_t tid, uint64_t bytes,
                 std::span<const std::byte> context);
  // Begins a request that a server received. `text` is the first part of its `bytes` bytes.
  void BeginNamed(uint64_t time, Connection& connection, std::string_view text, uint64_t bytes);
  Outcome Continue(uint64_t time, const fxr_request_text_long& event, std::string_view text);
  void Begin(uint64_t time, Connection& connection, std::string_view name,
             std::span<const std::byte> context = {});
  // `problem`: why the request has no response; empty: it has one.
  void End(uint64_t time, Connection& connection, std::string_view problem,
           std::span<const std::byte> context = {});
  void Use(Connection& connection, uint32_t tid);
  void Forget(Connections::iterator connection);
  void MakeRoom(uint64_t time);
  fxt::StringRef Text(OpenRecord& record, std::string_view text, std::string& scratch);

  TraceWriter& file_;
  model::TaskTracker& tasks_;
  const schema::RequestProtocols protocols_;
  Connections connections_;        // by number
  fxt::TextMap<uint32_t> by_end_;  // numbers of connections
  fxt::TextSet texts_;             // texts in the file's string table
  uint64_t last_id_ = 0;
};

}  // namespace translate
