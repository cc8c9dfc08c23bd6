// SPDX-License-Identifier: BSD-2-Clause
// Unpacks gzip (RFC 1952) as it is read.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fxt/byte_source.h"

namespace source {

// Members that follow one another are unpacked as one stream (`cat a.gz b.gz`), zeros behind the
// last one are padding. A stream that ends early is ReadResult::kTruncated after all that could be
// unpacked; damage is kError there.
class GzipSource final : public fxt::ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<fxt::ByteSource> packed);
  ~GzipSource() override;

  fxt::ReadResult Read(std::span<std::byte> into) override;
  std::string ErrorText() const override { return error_; }
  uint64_t position() const override { return packed_->position(); }
  uint64_t total() const override { return packed_->total(); }

  // Whether bytes begin as a gzip file does.
  static bool Matches(std::span<const std::byte> start) {
    return start.size() >= 2 && start[0] == std::byte{0x1f} && start[1] == std::byte{0x8b};
  }

 private:
  fxt::ReadResult Fail(std::string why);
  // Makes input available; kBytes when there is some.
  fxt::ReadResult::Kind Refill();
  // At the end of a member: false when no other member follows.
  bool NextMember(fxt::ReadResult::Kind& kind);

  std::unique_ptr<fxt::ByteSource> packed_;
  std::vector<std::byte> buffer_;
  z_stream stream_ = {};
  bool ready_ = false;
  bool between_members_ = false;
  bool done_ = false;
  std::string error_;
};

}  // namespace source
