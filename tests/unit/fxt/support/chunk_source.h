// SPDX-License-Identifier: BSD-2-Clause
// A stream in pieces, with pauses and an optional bad end.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

#include "fxt/byte_source.h"

namespace fxt::testing {

class ChunkSource final : public ByteSource {
 public:
  explicit ChunkSource(std::span<const std::byte> bytes, size_t chunk = 1u << 16)
      : bytes_(bytes), chunk_(chunk) {}

  ReadResult Read(std::span<std::byte> into) override {
    ++calls;
    if (again_between && (again_ = !again_)) return ReadResult::Of(ReadResult::Kind::kAgain);
    const size_t n = std::min({chunk_, into.size(), bytes_.size() - next_});
    if (n == 0) return ReadResult::Of(ending);
    std::memcpy(into.data(), bytes_.data() + next_, n);
    next_ += n;
    return ReadResult::Bytes(n);
  }
  std::string ErrorText() const override { return "the line went dead"; }

  bool again_between = false;
  ReadResult::Kind ending = ReadResult::Kind::kEnd;
  size_t calls = 0;

 private:
  std::span<const std::byte> bytes_;
  size_t chunk_;
  size_t next_ = 0;
  bool again_ = false;
};

}  // namespace fxt::testing
