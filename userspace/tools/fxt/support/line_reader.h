// SPDX-License-Identifier: BSD-2-Clause
// Lines of a terminal, a pipe or a file, none longer than what is bearable.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace tools {

class LineReader {
 public:
  enum class Got {
    kLine,
    kEnd,
    kInterrupted,  // see interrupt.h; what was read of the line is dropped
    kTooLong,
    kFailed,  // errno says why
  };

  LineReader(int borrowed_fd, size_t most_bytes);

  // The next line, without its line feed; the last one may have had none.
  Got Next(std::string& line);

 private:
  static constexpr size_t kChunkBytes = size_t{64} << 10;

  int fd_;
  size_t most_bytes_;
  std::unique_ptr<char[]> chunk_;
  size_t at_ = 0;
  size_t end_ = 0;
};

}  // namespace tools
