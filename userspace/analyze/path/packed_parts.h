// SPDX-License-Identifier: BSD-2-Clause
// The parts of a path in some ten bytes each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "path/request.h"

namespace analyze {

class PackedParts {
 public:
  PackedParts() = default;
  // Parts that follow one another, the first from `begin` on.
  PackedParts(uint64_t begin, std::span<const path::Part> parts);

  size_t size() const { return size_; }
  size_t bytes() const { return bytes_.capacity(); }
  std::vector<path::Part> Unpack() const;

 private:
  uint64_t begin_ = 0;
  size_t size_ = 0;
  std::vector<uint8_t> bytes_;
};

}  // namespace analyze
