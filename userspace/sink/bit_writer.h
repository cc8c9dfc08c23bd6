// SPDX-License-Identifier: BSD-2-Clause
// Writes bit fields in the order of deflate (RFC 1951, 3.1.1), the lowest bit first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sink {

// Flush() may write up to eight bytes behind the last bit; the caller provides the room.
class BitWriter {
 public:
  explicit BitWriter(std::byte* at) : at_(at) {}
  // At most 57 bits between two calls of Flush(), which leaves up to seven.
  void Add(uint64_t bits, uint32_t count) {
    bits_ |= bits << count_;
    count_ += count;
  }
  void Flush() {
    std::memcpy(at_, &bits_, sizeof bits_);
    at_ += count_ >> 3;
    bits_ >>= count_ & ~7u;
    count_ &= 7;
  }
  std::byte* End() {
    Flush();
    return at_ + (count_ != 0);
  }

 private:
  std::byte* at_;
  uint64_t bits_ = 0;
  uint32_t count_ = 0;
};

}  // namespace sink
