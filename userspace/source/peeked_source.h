// SPDX-License-Identifier: BSD-2-Clause
// A stream whose first bytes were read already, to find out its format.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fxt/byte_source.h"

namespace source {

// `rest` must not answer kAgain.
class PeekedSource final : public fxt::ByteSource {
 public:
  explicit PeekedSource(std::unique_ptr<fxt::ByteSource> rest) : rest_(std::move(rest)) {}

  // The first `bytes` bytes, fewer where the stream is shorter. Before the first Read().
  std::span<const std::byte> Peek(size_t bytes) {
    start_.resize(bytes);
    size_t have = 0;
    while (have < bytes && !ended_) {
      const fxt::ReadResult result = rest_->Read(std::span(start_).subspan(have));
      if (result.kind == fxt::ReadResult::Kind::kBytes) {
        have += result.bytes;
      } else {
        ended_ = result;
      }
    }
    start_.resize(have);
    return start_;
  }

  fxt::ReadResult Read(std::span<std::byte> into) override {
    if (next_ == start_.size()) return ended_ ? *ended_ : rest_->Read(into);
    const size_t bytes = std::min(into.size(), start_.size() - next_);
    std::memcpy(into.data(), start_.data() + next_, bytes);
    next_ += bytes;
    return fxt::ReadResult::Bytes(bytes);
  }
  std::string ErrorText() const override { return rest_->ErrorText(); }
  uint64_t position() const override { return rest_->position(); }
  uint64_t total() const override { return rest_->total(); }

 private:
  std::unique_ptr<fxt::ByteSource> rest_;
  std::vector<std::byte> start_;
  size_t next_ = 0;
  std::optional<fxt::ReadResult> ended_;
};

}  // namespace source
