// SPDX-License-Identifier: BSD-2-Clause
#include "sink/block_compressor.h"

#include <algorithm>

namespace sink {
namespace {

// RFC 1952, 2.3: magic, deflate, an extra field, no time, no extra flags, unknown system; then the
// extra field: six bytes, subfield "BC" of two bytes, which are the size of the block less one.
constexpr std::array<uint8_t, 18> kHeader = {0x1f, 0x8b, 8, 4,   0,   0, 0, 0, 0,
                                             0xff, 6,    0, 'B', 'C', 2, 0, 0, 0};
constexpr size_t kSizeAt = 16;
constexpr size_t kTrailerBytes = 8;

// The header, an empty last block, checksum and size 0.
constexpr std::array<uint8_t, 28> kEnd = {0x1f, 0x8b, 8,  4, 0,    0, 0, 0, 0, 0xff, 6, 0, 'B', 'C',
                                          2,    0,    27, 0, 0x03, 0, 0, 0, 0, 0,    0, 0, 0,   0};

// Least significant byte first.
template <size_t kBytes>
void Put(uint64_t value, std::byte* at) {
  for (size_t i = 0; i < kBytes; ++i) at[i] = static_cast<std::byte>(value >> 8 * i);
}

}  // namespace

std::span<const std::byte> BlockCompressor::End() { return std::as_bytes(std::span(kEnd)); }

size_t BlockCompressor::Deflate(std::span<const std::byte> bytes, int level,
                                std::span<std::byte> packed) {
  static_assert(kMaxInputBytes <= DeflateEncoder::kMaxInputBytes);
  static_assert(kMaxInputBytes + DeflateEncoder::kSpareBytes + kHeader.size() + kTrailerBytes <=
                kMaxBlockBytes);
  if (level == 1) {
    if (!encoder_) encoder_ = std::make_unique<DeflateEncoder>();
    return encoder_->Encode(bytes, packed);
  }
  auto& compressor = compressors_[static_cast<size_t>(level)];
  if (!compressor) compressor.reset(libdeflate_alloc_compressor(level));
  if (!compressor) return 0;
  return libdeflate_deflate_compress(compressor.get(), bytes.data(), bytes.size(), packed.data(),
                                     packed.size());
}

std::span<const std::byte> BlockCompressor::Compress(std::span<const std::byte> bytes, int level) {
  const auto header = std::as_bytes(std::span(kHeader));
  std::copy(header.begin(), header.end(), block_.begin());
  std::byte* const packed = block_.data() + kHeader.size();
  const size_t room = kMaxBlockBytes - kHeader.size() - kTrailerBytes;
  const size_t packed_bytes =
      Deflate(bytes, std::clamp(level, 0, kMaxLevel), std::span(packed, room));
  if (packed_bytes == 0) return {};
  Put<4>(libdeflate_crc32(0, bytes.data(), bytes.size()), packed + packed_bytes);
  Put<4>(bytes.size(), packed + packed_bytes + 4);
  const size_t total = kHeader.size() + packed_bytes + kTrailerBytes;
  Put<2>(total - 1, block_.data() + kSizeAt);
  return std::span(block_).first(total);
}

}  // namespace sink
