// SPDX-License-Identifier: BSD-2-Clause
// Packs bytes into gzip members that say their own size (BGZF, section 4.1 of the SAM format).
#pragma once

#include <libdeflate.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sink/deflate_encoder.h"

namespace sink {

// A block is a gzip member (RFC 1952) of at most 64 KiB, packed and unpacked, with its packed size
// in an extra field. Any program that unpacks gzip takes a row of them as one file; one that knows
// the field takes each in one go, or several at a time.
class BlockCompressor {
 public:
  // Unpacked; so many fit into a block even if they do not shrink.
  static constexpr size_t kMaxInputBytes = 0xff00;
  static constexpr size_t kMaxBlockBytes = 0x10000;
  static constexpr int kMaxLevel = 12;

  // The block that unpacks to `bytes`, kMaxInputBytes at most; valid until the next call. `level`
  // is 0 to store, 1 for the DeflateEncoder, the fastest that compresses, from 2 on libdeflate's;
  // kMaxLevel is the slowest. Empty without memory.
  std::span<const std::byte> Compress(std::span<const std::byte> bytes, int level);

  // The empty block that stands at the end of a complete file.
  static std::span<const std::byte> End();

 private:
  struct Free {
    void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
  };
  // Of `bytes` to `packed`, without header and trailer; 0 without memory.
  size_t Deflate(std::span<const std::byte> bytes, int level, std::span<std::byte> packed);

  std::unique_ptr<DeflateEncoder> encoder_;  // made when first used, as are those by level
  std::array<std::unique_ptr<libdeflate_compressor, Free>, kMaxLevel + 1> compressors_;
  std::vector<std::byte> block_ = std::vector<std::byte>(kMaxBlockBytes);
};

}  // namespace sink
