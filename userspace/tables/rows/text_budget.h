// SPDX-License-Identifier: BSD-2-Clause
// Limits the texts of a scan's rows to a multiple of what it has read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tables {

// A record refers to a text of 32 KiB by two bytes, and may do so 30 times: rows with all texts
// could be 3,000 times as large as the file. Rows of ordinary traces stay far below the limit.
class TextBudget {
 public:
  // Shorter texts, in bytes, are always kept.
  static constexpr size_t kShort = 256;
  static constexpr uint64_t kStart = uint64_t{256} << 20;
  static constexpr uint64_t kPerByte = 32;

  // `position`: bytes of the stream that were read.
  void OnRead(uint64_t position) { limit_ = std::max(limit_, kStart + kPerByte * position); }
  bool HasRoom(size_t bytes) const { return bytes <= kShort || used_ + bytes <= limit_; }
  // Charges a text of `bytes`. False: the caller must cut it; it counts as cut.
  bool Take(size_t bytes) {
    if (!HasRoom(bytes)) {
      ++cut_;
      return false;
    }
    if (bytes > kShort) used_ += bytes;
    return true;
  }
  // Charges `text`. Returns it, or the part that fits, which ends between two characters.
  std::string_view Fit(std::string_view text) {
    if (text.size() <= kShort || Take(text.size())) return text;
    size_t bytes = kShort;
    while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
    return text.substr(0, bytes);
  }
  // Texts that were cut or left out.
  uint64_t cut() const { return cut_; }

 private:
  uint64_t used_ = 0;
  uint64_t limit_ = kStart;
  uint64_t cut_ = 0;
};

}  // namespace tables
