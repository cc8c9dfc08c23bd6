// SPDX-License-Identifier: BSD-2-Clause
// An array of objects that grows without moving them. Access costs a shift and two loads;
// std::deque divides, which shows at a million events a second.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace model {

template <typename T>
class Slab {
 public:
  T& operator[](uint32_t number) { return (*chunks_[number >> kBits])[number & kMask]; }
  const T& operator[](uint32_t number) const { return (*chunks_[number >> kBits])[number & kMask]; }

  // Adds an object and returns its index, one above the last.
  uint32_t Add() {
    if ((size_ & kMask) == 0) chunks_.push_back(std::make_unique<Chunk>());
    return size_++;
  }
  uint32_t size() const { return size_; }

 private:
  static constexpr unsigned kBits = 8;
  static constexpr uint32_t kMask = (1u << kBits) - 1;
  using Chunk = std::array<T, size_t{1} << kBits>;

  std::vector<std::unique_ptr<Chunk>> chunks_;
  uint32_t size_ = 0;
};

}  // namespace model
