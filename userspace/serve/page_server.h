// SPDX-License-Identifier: BSD-2-Clause
// Serves a page and its answers to browsers of this machine, over HTTP on 127.0.0.1.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "util/result.h"

namespace serve {

struct PageRequest {
  bool is_post = false;
  // Behind the secret: "" is the page, "tile" the address /SECRET/tile.
  std::string path = {};
  std::string query = {};  // behind the question mark, percent-encoded
  std::string body = {};
};

struct PageResponse {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body = {};
  // Content-Security-Policy; empty: PageServer::kPolicy.
  std::string policy = {};
};

struct PageOptions {
  uint16_t port = 0;   // 0: any free port
  std::string secret;  // the first part of every path
  // Only programs of these users get an answer other than 403.
  std::vector<uid_t> users;
  // Timeout for the first page, and, after the last page was closed, for another one.
  std::chrono::nanoseconds open_timeout = std::chrono::minutes(10);
  std::chrono::nanoseconds reload_timeout = std::chrono::seconds(10);
};

// Serves until the pages are gone. A page is there as long as its connection to "/SECRET/live" is:
// an event stream (server-sent events), which gets `status` each second.
//
// A request gets 403 unless the program that sends it belongs to one of the users, its Host is this
// address, its Origin, if any, is this page's, and the browser does not say that another site sends
// it (Sec-Fetch-Site). Paths without the secret get 404, methods other than GET and POST get 405.
//
// At most 64 connections are open; a new one beyond that closes the one that is idle the longest.
class PageServer {
 public:
  enum class End : uint8_t {
    kPagesGone,    // the last page was closed
    kTimeout,      // no page came
    kInterrupted,  // SIGINT or SIGTERM arrived
  };
  // Nothing but the page's own files and answers.
  static constexpr const char* kPolicy =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
      "img-src 'self' data:; frame-src 'self'; base-uri 'none'; form-action 'none'; "
      "frame-ancestors 'self'";

  // Takes the response, once, from any thread, before the server is destroyed.
  using Respond = std::function<void(PageResponse)>;
  // Called in the thread of Run().
  using Handler = std::function<void(PageRequest, Respond)>;
  // Text of one line.
  using Status = std::function<std::string()>;

  // Listens from now on. Errors: the port is in use.
  static util::Result<std::unique_ptr<PageServer>> Listen(const PageOptions& options,
                                                          Handler handler, Status status);
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  uint16_t port() const;
  // "http://127.0.0.1:9001/0123abcd/"
  std::string url() const;
  // Serves until the end. SIGINT and SIGTERM are handled from Listen() on, and have their default
  // action afterwards. Call it once.
  End Run();

 private:
  class Server;
  explicit PageServer(std::shared_ptr<Server> server);

  std::shared_ptr<Server> server_;
};

}  // namespace serve
