// SPDX-License-Identifier: BSD-2-Clause
#include "tools/fxt/support/line_reader.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tools/fxt/support/interrupt.h"

namespace tools {

LineReader::LineReader(int borrowed_fd, size_t most_bytes)
    : fd_(borrowed_fd), most_bytes_(most_bytes), chunk_(std::make_unique<char[]>(kChunkBytes)) {}

LineReader::Status LineReader::Next(std::string& line) {
  line.clear();
  for (;;) {
    const char* const begin = chunk_.get() + at_;
    const auto* const feed = static_cast<const char*>(std::memchr(begin, '\n', end_ - at_));
    const size_t part = feed == nullptr ? end_ - at_ : static_cast<size_t>(feed - begin);
    if (line.size() + part > most_bytes_) return Status::kTooLong;
    line.append(begin, part);
    at_ += part;
    if (feed != nullptr) {
      ++at_;
      return Status::kLine;
    }
    if (!AwaitInput(fd_)) return Status::kInterrupted;
    const ssize_t n = read(fd_, chunk_.get(), kChunkBytes);
    if (n > 0) {
      at_ = 0;
      end_ = static_cast<size_t>(n);
      continue;
    }
    if (n == 0) return line.empty() ? Status::kEnd : Status::kLine;
    if (errno != EINTR && errno != EAGAIN) return Status::kFailed;
  }
}

}  // namespace tools
