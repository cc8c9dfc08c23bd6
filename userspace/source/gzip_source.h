// SPDX-License-Identifier: BSD-2-Clause
// Decompresses gzip (RFC 1952) while reading.
#pragma once

#include <libdeflate.h>
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fxt/byte_source.h"

namespace source {

// Decompresses consecutive members as one stream (`cat a.gz b.gz`); zeros behind the last one are
// padding. A stream that ends early yields ReadResult::kTruncated after all decompressed bytes;
// damage yields kError there.
// Members that state their size (BGZF, written by fxt-record) are decompressed in one call. zlib
// decompresses all others, and damaged or cut ones, piece by piece.
class GzipSource final : public fxt::ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<fxt::ByteSource> packed);
  ~GzipSource() override;

  fxt::ReadResult Read(std::span<std::byte> into) override;
  std::string ErrorText() const override { return error_; }
  uint64_t position() const override { return packed_->position(); }
  uint64_t total() const override { return packed_->total(); }

  // True if the bytes begin with a gzip header.
  static bool Matches(std::span<const std::byte> start) {
    return start.size() >= 2 && start[0] == std::byte{0x1f} && start[1] == std::byte{0x8b};
  }

 private:
  using Kind = fxt::ReadResult::Kind;
  enum class Place : uint8_t { kMemberStart, kInMember, kBetweenMembers };

  fxt::ReadResult Fail(std::string why);
  // Makes `bytes` bytes of input available; kBytes if the source has them.
  Kind Need(size_t bytes);
  // Called at the end of a member: kBytes if another one follows.
  Kind NextMember();
  // Called at the start of a member. Decompresses a block whole; enters any other member.
  Kind TakeMember(std::span<std::byte>& into);
  // Decompresses a piece of the current member.
  Kind TakePiece(std::span<std::byte>& into);

  std::unique_ptr<fxt::ByteSource> packed_;
  std::vector<std::byte> buffer_;
  z_stream stream_ = {};
  bool ready_ = false;
  struct Free {
    void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
  };
  std::unique_ptr<libdeflate_decompressor, Free> block_unpacker_;
  std::vector<std::byte> block_;       // unpacked
  std::span<const std::byte> unread_;  // of block_
  Place place_ = Place::kMemberStart;
  bool done_ = false;
  std::string error_;
};

}  // namespace source
