// SPDX-License-Identifier: BSD-2-Clause
// An HTTP client that keeps its connection from one request to the next.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "export/clickhouse/server_url.h"
#include "util/result.h"

namespace exporting {

struct HttpReply {
  unsigned status = 0;
  std::string body;
};

class HttpClient {
 public:
  explicit HttpClient(ServerUrl server);
  ~HttpClient();

  // Sends one request and returns its answer, of at most kMaxReply bytes. Connecting, sending and
  // reading may each take `timeout`. After an error the server may have executed the request.
  util::Result<HttpReply> Post(std::string_view target, std::string_view body,
                               std::chrono::seconds timeout);

  const ServerUrl& server() const { return server_; }

 private:
  struct Connection;
  static constexpr size_t kMaxReply = size_t{16} << 20;

  ServerUrl server_;
  std::unique_ptr<Connection> connection_;  // null while the client is not connected
};

}  // namespace exporting
