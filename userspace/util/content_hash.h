// SPDX-License-Identifier: BSD-2-Clause
// A fast hash of contents, to see whether a file is the one that it was. Not for untrusted input
// that is made to collide.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace util {

// 128 bits of bytes that come in pieces. The same bytes in other pieces have the same hash.
class ContentHash {
 public:
  struct Value {
    uint64_t low = 0;
    uint64_t high = 0;
    bool operator==(const Value&) const = default;
  };

  void Add(std::span<const std::byte> bytes);
  Value Finish();

  static uint64_t Of(std::span<const std::byte> bytes);

 private:
  static constexpr size_t kStep = 32;

  void AddStep(const std::byte* bytes);

  std::array<uint64_t, 4> lanes_ = {0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9,
                                    0x85ebca77c2b2ae63};
  std::array<std::byte, kStep> rest_{};
  size_t rest_bytes_ = 0;
  uint64_t total_ = 0;
};

}  // namespace util
