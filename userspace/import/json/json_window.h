// SPDX-License-Identifier: BSD-2-Clause
// A part of a long text, the next of which is looked at.
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

  // `source` must outlive the window, which grows to `max_bytes` at most.
  JsonWindow(fxt::ByteSource& source, size_t max_bytes);

  // What is there and not passed; a NUL stands behind it. Views of it last until More().
  std::string_view text() const { return {buffer_.get() + at_, end_ - at_}; }
  void Pass(size_t bytes) { at_ += bytes; }

  // Adds to the text; false when there is no more, or no room because all of it is wanted still.
  bool More();
  bool full() const { return end_ - at_ >= max_bytes_; }
  // There is nothing behind text().
  bool ended() const { return ended_; }
  // The next byte, or 0 at the end. A NUL in the text is none that matters.
  char Peek();

  // Bytes passed.
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
  uint64_t base_ = 0;  // of buffer_ in the text
  bool ended_ = false;
  std::string failure_;
};

}  // namespace importer
