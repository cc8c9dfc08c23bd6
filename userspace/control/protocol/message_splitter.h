// SPDX-License-Identifier: BSD-2-Clause
// Splits a stream of bytes into varlink messages, which end with a NUL byte.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace control {

class MessageSplitter {
 public:
  // Longest message, without its NUL.
  static constexpr size_t kMaxMessage = size_t{1} << 20;

  // Returns false from the first message on that is longer than kMaxMessage, and drops the bytes.
  bool Append(std::string_view bytes);
  // Removes and returns the next complete message; empty if there is none.
  std::optional<std::string> Next();

  // True if a part of a message is buffered.
  bool has_part() const { return !buffer_.empty(); }
  size_t size() const { return buffer_.size(); }

 private:
  std::string buffer_;
  size_t searched_ = 0;  // bytes without a NUL
  bool failed_ = false;
};

}  // namespace control
