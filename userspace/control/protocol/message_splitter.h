// SPDX-License-Identifier: BSD-2-Clause
// Messages out of a stream of bytes: each ends with a NUL byte, as varlink has it.
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

  // False, from then on, when a message is longer than kMaxMessage. Nothing more is kept then.
  bool Append(std::string_view bytes);
  // The next whole message, each once; none while its end is missing.
  std::optional<std::string> Next();

  // Part of a message is there.
  bool has_part() const { return !buffer_.empty(); }
  size_t size() const { return buffer_.size(); }

 private:
  std::string buffer_;
  size_t searched_ = 0;  // no NUL before
  bool failed_ = false;
};

}  // namespace control
