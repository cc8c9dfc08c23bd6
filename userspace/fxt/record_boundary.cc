// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/record_boundary.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "fxt/format.h"

namespace fxt {
namespace {

uint64_t RecordWords(const std::byte* at) {
  uint64_t header = 0;
  std::memcpy(&header, at, sizeof(header));
  const bool large = (header & 0xf) == static_cast<uint64_t>(RecordType::kLarge);
  return header >> 4 & (large ? 0xffffffff : 0xfff);
}

}  // namespace

size_t WholeRecordBytes(std::span<const std::byte> records, size_t limit) {
  limit = std::min(limit, records.size());
  size_t end = 0;
  while (limit - end >= kWordBytes) {
    const uint64_t words = RecordWords(records.data() + end);
    if (words == 0 || words > (limit - end) / kWordBytes) break;
    end += words * kWordBytes;
  }
  return end;
}

uint64_t FirstRecordBytes(std::span<const std::byte> records) {
  return records.size() < kWordBytes ? 0 : RecordWords(records.data()) * kWordBytes;
}

}  // namespace fxt
