// SPDX-License-Identifier: BSD-2-Clause
// Reads lines of a terminal, a pipe or a file, up to a length limit.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace tools {

class LineReader {
 public:
  enum class Status {
    kLine,
    kEnd,
    kInterrupted,  // see interrupt.h; the partial line is dropped
    kTooLong,
    kFailed,  // errno has the reason
  };

  LineReader(int borrowed_fd, size_t most_bytes);

  // The next line, without its line feed; the last one may have none.
  Status Next(std::string& line);

 private:
  static constexpr size_t kChunkBytes = size_t{64} << 10;

  int fd_;
  size_t most_bytes_;
  std::unique_ptr<char[]> chunk_;
  size_t at_ = 0;
  size_t end_ = 0;
};

}  // namespace tools
