// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/unpack_xz.h"

#include <lzma.h>

#include <algorithm>
#include <cstdint>

namespace symbols {

std::vector<std::byte> UnpackXz(std::span<const std::byte> packed, size_t max_bytes) {
  constexpr uint64_t kMaxDictionary = uint64_t{128} << 20;
  constexpr size_t kFirstBytes = size_t{64} << 10;
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kMaxDictionary, 0) != LZMA_OK) return {};
  std::vector<std::byte> unpacked;
  stream.next_in = reinterpret_cast<const uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  lzma_ret status = LZMA_OK;
  while (status == LZMA_OK && unpacked.size() < max_bytes) {
    const size_t used = unpacked.size();
    unpacked.resize(std::min(max_bytes, std::max(kFirstBytes, 2 * used)));
    stream.next_out = reinterpret_cast<uint8_t*>(unpacked.data()) + used;
    stream.avail_out = unpacked.size() - used;
    // With all input given, no progress is an error.
    status = lzma_code(&stream, LZMA_FINISH);
    unpacked.resize(unpacked.size() - stream.avail_out);
  }
  lzma_end(&stream);
  if (status != LZMA_STREAM_END) unpacked.clear();
  return unpacked;
}

}  // namespace symbols
