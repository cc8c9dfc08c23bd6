// SPDX-License-Identifier: BSD-2-Clause
#include "text/spool.h"

#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "output/unnamed_file.h"

namespace text {
util::Status Spool::Flush() {
  if (!file_) {
    auto made = output::MakeUnnamedFile();
    if (!made) return made.TakeError();
    file_ = std::move(*made);
  }
  const char* next = buffer_.data();
  size_t left = buffer_.size();
  while (left != 0) {
    const ssize_t n = write(file_.get(), next, left);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return output::UnnamedFileFailed("write");
    next += n;
    left -= static_cast<size_t>(n);
    written_ += static_cast<uint64_t>(n);
  }
  buffer_.clear();
  return util::Ok();
}

util::Status Spool::CopyTo(TextWriter& out) {
  std::vector<char> chunk(written_ == 0 ? 0 : kFlushBytes);
  for (uint64_t at = 0; at < written_ && !out.failed();) {
    const ssize_t n = pread(file_.get(), chunk.data(), chunk.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return output::UnnamedFileFailed("read");
    out.Append({chunk.data(), static_cast<size_t>(n)});
    at += static_cast<uint64_t>(n);
  }
  out.Append({buffer_.data(), buffer_.size()});
  return util::Ok();
}

}  // namespace text
