// SPDX-License-Identifier: BSD-2-Clause
// Compresses bytes into gzip members that contain their own size (BGZF, section 4.1 of the SAM
// format).
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

// A block is a gzip member (RFC 1952) of at most 64 KiB, compressed and uncompressed, with its
// compressed size in an extra field. A sequence of blocks is a gzip file; programs that know the
// field can find each block without decompressing the others.
class BlockCompressor {
 public:
  // Uncompressed bytes that fit into a block even if they are incompressible.
  static constexpr size_t kMaxInputBytes = 0xff00;
  static constexpr size_t kMaxBlockBytes = 0x10000;
  static constexpr int kMaxLevel = 12;

  // Returns the block of `bytes`, at most kMaxInputBytes; valid until the next call. Level 0
  // stores, 1 is DeflateEncoder, 2 to kMaxLevel are libdeflate's. Empty if memory is exhausted.
  std::span<const std::byte> Compress(std::span<const std::byte> bytes, int level);

  // The empty block that ends a complete file.
  static std::span<const std::byte> End();

 private:
  struct Free {
    void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
  };
  // Writes a deflate stream without header and trailer; 0 if memory is exhausted.
  size_t Deflate(std::span<const std::byte> bytes, int level, std::span<std::byte> packed);

  std::unique_ptr<DeflateEncoder> encoder_;  // created on first use, as are the compressors
  std::array<std::unique_ptr<libdeflate_compressor, Free>, kMaxLevel + 1> compressors_;
  std::vector<std::byte> block_ = std::vector<std::byte>(kMaxBlockBytes);
};

}  // namespace sink
