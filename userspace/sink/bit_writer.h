// SPDX-License-Identifier: BSD-2-Clause
// Bits as deflate has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sink {

// The first one is the lowest. Needs room for eight bytes behind the last one.
class BitWriter {
 public:
  explicit BitWriter(std::byte* at) : at_(at) {}
  // 64 bits at most between two calls of Flush, less the seven that it may leave.
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
