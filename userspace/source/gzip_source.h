// SPDX-License-Identifier: BSD-2-Clause
// Unpacks gzip (RFC 1952) as it is read.
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

// Members that follow one another are unpacked as one stream (`cat a.gz b.gz`), zeros behind the
// last one are padding. A stream that ends early is ReadResult::kTruncated after all that could be
// unpacked; damage is kError there.
//
// Members that say their size (BGZF, as fxt-record writes them) are unpacked in one go; all others,
// which may be of any size, and what is wrong or cut, by zlib piece by piece.
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
  using Kind = fxt::ReadResult::Kind;
  enum class Place : uint8_t { kMemberStart, kInMember, kBetweenMembers };

  fxt::ReadResult Fail(std::string why);
  // Makes `bytes` bytes of input available, if the source has them; kBytes when there are.
  Kind Need(size_t bytes);
  // At the end of a member: kBytes when another one follows.
  Kind NextMember();
  // At the start of a member. Unpacks it whole if it is a block; goes into it otherwise.
  Kind TakeMember(std::span<std::byte>& into);
  // Inside a member: unpacks a piece of it.
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
