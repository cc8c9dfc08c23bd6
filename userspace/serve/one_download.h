// SPDX-License-Identifier: BSD-2-Clause
// A file for one web page of this machine's browser, once, over HTTP on 127.0.0.1.
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
  uint16_t port = 0;  // 0: any that is free
  // The only path that there is, such as "/0123abcd/trace.fxt".
  std::string path;
  // Pages of this origin alone get it (serve/origin.h).
  std::string origin;
  std::string content_type = "application/octet-stream";
  // Programs of these users alone are answered.
  std::vector<uid_t> users;
  std::chrono::nanoseconds patience = std::chrono::minutes(10);
};

// Listens from its making on. A request is refused with 403 unless the program that makes it is of
// one of the users, its Host header is this address, which those of a name that was made to point
// here is not, and its Origin header is the page's. Then 404 for other paths, and 405 for what is
// neither GET nor HEAD nor the question OPTIONS of a browser; 503 while it is being downloaded.
class OneDownload {
 public:
  enum class End : uint8_t {
    kDownloaded,   // all of it was sent
    kNobodyCame,   // within the patience
    kInterrupted,  // by SIGINT or SIGTERM
  };

  // `file` is a regular one, of which what is there now is served. Errors: the port is used.
  static util::Result<std::unique_ptr<OneDownload>> Listen(const DownloadOptions& options,
                                                           util::UniqueFd file);
  virtual ~OneDownload() = default;
  OneDownload(const OneDownload&) = delete;
  OneDownload& operator=(const OneDownload&) = delete;

  virtual uint16_t port() const = 0;
  // "http://127.0.0.1:9001/0123abcd/trace.fxt"
  std::string url() const;
  // Until the end. SIGINT and SIGTERM are as before then. Once.
  virtual End Run() = 0;

 protected:
  OneDownload() = default;
  virtual const std::string& path() const = 0;
};

}  // namespace serve
