// SPDX-License-Identifier: BSD-2-Clause
#include "text/spool.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <vector>

#include "output/unnamed_file.h"

namespace text {
namespace {

util::Error Failed(const char* what) {
  return {fmt::format("cannot {} a temporary file in {}: {}", what, output::TemporaryFolder(),
                      std::generic_category().message(errno)),
          "set TMPDIR to a folder with room for as much as the output takes"};
}

}  // namespace

util::Status Spool::Flush() {
  if (!file_) file_ = output::OpenUnnamedFile();
  if (!file_) return Failed("make");
  const char* next = buffer_.data();
  size_t left = buffer_.size();
  while (left != 0) {
    const ssize_t n = write(file_.get(), next, left);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failed("write");
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
    if (n <= 0) return Failed("read");
    out.Append({chunk.data(), static_cast<size_t>(n)});
    at += static_cast<uint64_t>(n);
  }
  out.Append({buffer_.data(), buffer_.size()});
  return util::Ok();
}

}  // namespace text
