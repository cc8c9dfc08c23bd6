// SPDX-License-Identifier: BSD-2-Clause
// Buffers text for a later place of an output in an unnamed temporary file.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "text/text_writer.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace text {

class Spool {
 public:
  // Append to it and call FlushIfFull() regularly. Uses no file below the buffer size.
  fmt::memory_buffer& buffer() { return buffer_; }
  bool empty() const { return buffer_.size() == 0 && written_ == 0; }

  // The file is in $TMPDIR, or /var/tmp if that is not set.
  util::Status FlushIfFull() { return buffer_.size() < kFlushBytes ? util::Ok() : Flush(); }
  // Appends all of it to `out`.
  util::Status CopyTo(TextWriter& out);

 private:
  static constexpr size_t kFlushBytes = size_t{1} << 20;

  util::Status Flush();

  util::UniqueFd file_;
  uint64_t written_ = 0;
  fmt::memory_buffer buffer_;
};

}  // namespace text
