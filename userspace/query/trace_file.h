// SPDX-License-Identifier: BSD-2-Clause
// A trace that is read several times.
#pragma once

#include <memory>
#include <string>

#include "fxt/byte_source.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace query {

// Stays the same file if its name is removed or replaced.
class TraceFile {
 public:
  // Opens a regular file. Errors: it cannot be opened, is not a regular file, or does not begin as
  // a trace.
  static util::Result<std::shared_ptr<TraceFile>> Open(const std::string& path);

  const std::string& path() const { return path_; }
  int fd() const { return fd_.get(); }
  // From its begin on.
  util::Result<std::unique_ptr<fxt::ByteSource>> Read() const;

 private:
  TraceFile(std::string path, util::UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  std::string path_;
  util::UniqueFd fd_;
};

}  // namespace query
