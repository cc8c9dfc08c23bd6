// SPDX-License-Identifier: BSD-2-Clause
#include "control/protocol/message_splitter.h"

namespace control {

bool MessageSplitter::Append(std::string_view bytes) {
  if (failed_) return false;
  buffer_.append(bytes);
  const size_t end = buffer_.find('\0', searched_);
  if (end == std::string::npos) searched_ = buffer_.size();
  const size_t length = end == std::string::npos ? buffer_.size() : end;
  if (length > kMaxMessage) {
    failed_ = true;
    buffer_ = {};
    searched_ = 0;
  }
  return !failed_;
}

std::optional<std::string> MessageSplitter::Next() {
  const size_t end = buffer_.find('\0', searched_);
  if (end == std::string::npos) {
    searched_ = buffer_.size();
    return std::nullopt;
  }
  std::string message = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  searched_ = 0;
  // Frees the memory, which a long message may have enlarged.
  if (buffer_.empty()) buffer_ = {};
  return message;
}

}  // namespace control
