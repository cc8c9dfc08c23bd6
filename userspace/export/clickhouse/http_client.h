// SPDX-License-Identifier: BSD-2-Clause
// A connection to an HTTP server that is kept from one request to the next.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "export/clickhouse/server_url.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace exporting {

struct HttpReply {
  unsigned status = 0;
  std::string body;
};

class HttpClient {
 public:
  explicit HttpClient(ServerUrl server);

  // Sends one request and takes its answer, of at most kMaxReply bytes. An error: no whole answer
  // came within `patience`; whether the server did what was asked is not known then.
  util::Result<HttpReply> Post(std::string_view target, std::string_view body,
                               std::chrono::seconds patience);

  const ServerUrl& server() const { return server_; }

 private:
  static constexpr size_t kMaxReply = size_t{16} << 20;

  ServerUrl server_;
  util::UniqueFd connection_;  // none after a server's goodbye
};

}  // namespace exporting
