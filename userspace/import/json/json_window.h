// SPDX-License-Identifier: BSD-2-Clause
// A sliding window over a long text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fxt/byte_source.h"

namespace importer {

class JsonWindow {
 public:
  static constexpr size_t kFirstBytes = size_t{1} << 20;

  // `source` must outlive the window, which grows to at most `max_bytes`.
  JsonWindow(fxt::ByteSource& source, size_t max_bytes);

  // The unread text in the window, followed by a NUL. Views are valid until More().
  std::string_view text() const { return {buffer_.get() + at_, end_ - at_}; }
  void Pass(size_t bytes) { at_ += bytes; }

  // Reads further text. False at the end, or if the unread text fills the window.
  bool More();
  bool full() const { return end_ - at_ >= max_bytes_; }
  // True if no text follows text().
  bool ended() const { return ended_; }
  // The next byte; 0 at the end. A NUL in the text is not significant.
  char Peek();

  // The offset of text() in the whole text, bytes.
  uint64_t position() const { return base_ + at_; }
  // Why the source ended early or failed; empty otherwise.
  const std::string& failure() const { return failure_; }

 private:
  fxt::ByteSource& source_;
  size_t max_bytes_;
  std::unique_ptr<char[]> buffer_;
  size_t capacity_;
  size_t at_ = 0;
  size_t end_ = 0;
  uint64_t base_ = 0;  // offset of buffer_ in the whole text
  bool ended_ = false;
  std::string failure_;
};

}  // namespace importer
