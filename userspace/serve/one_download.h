// SPDX-License-Identifier: BSD-2-Clause
// Serves a file to one web page of this machine's browser, once, over HTTP on 127.0.0.1.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "util/result.h"
#include "util/unique_fd.h"

namespace serve {

struct DownloadOptions {
  uint16_t port = 0;  // 0: any free port
  // The only path that exists, such as "/0123abcd/trace.fxt".
  std::string path;
  // Only pages of this origin get the file (serve/origin.h).
  std::string origin;
  std::string content_type = "application/octet-stream";
  // Only programs of these users get an answer other than 403.
  std::vector<uid_t> users;
  std::chrono::nanoseconds open_timeout = std::chrono::minutes(10);
};

// Serves one file until one page has downloaded it. Listens from construction on.
//
// A request gets 403 unless the program that sends it belongs to one of the users, its Host header
// is this address (a DNS name that was rebound to this address is not), and its Origin header is
// the page's. Other paths get 404, methods other than GET, HEAD and OPTIONS get 405, and a second
// download gets 503 while the first one lasts.
//
// At most 32 connections are open. A new one beyond that closes the oldest connection of another
// user, or the oldest one that has not requested the file.
class OneDownload {
 public:
  enum class End : uint8_t {
    kDownloaded,   // the page has received the whole file
    kTimeout,      // no page downloaded it within the timeout
    kInterrupted,  // SIGINT or SIGTERM arrived
  };

  // `file` is a regular file; its size at this moment is served. Errors: the port is in use.
  static util::Result<std::unique_ptr<OneDownload>> Listen(const DownloadOptions& options,
                                                           util::UniqueFd file);
  ~OneDownload();
  OneDownload(const OneDownload&) = delete;
  OneDownload& operator=(const OneDownload&) = delete;

  uint16_t port() const;
  // "http://127.0.0.1:9001/0123abcd/trace.fxt"
  std::string url() const;
  // Serves until the end. Handles SIGINT and SIGTERM meanwhile, and gives them their default action
  // afterwards. Call it once.
  End Run();

 private:
  class Server;
  explicit OneDownload(std::unique_ptr<Server> server);

  std::unique_ptr<Server> server_;
};

}  // namespace serve
