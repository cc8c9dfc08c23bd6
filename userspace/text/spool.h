// SPDX-License-Identifier: BSD-2-Clause
// Text that has to come later in an output than it arises, kept in an unnamed temporary file.
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
  // Append to it; call FlushIfFull() at times. Nothing is on disk below a buffer's worth.
  fmt::memory_buffer& buffer() { return buffer_; }
  bool empty() const { return buffer_.size() == 0 && written_ == 0; }

  // In $TMPDIR, /var/tmp without one.
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
