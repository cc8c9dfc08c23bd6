// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/record_boundary.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "fxt/format.h"

namespace fxt {

size_t WholeRecordBytes(std::span<const std::byte> records, size_t limit) {
  limit = std::min(limit, records.size());
  size_t end = 0;
  while (limit - end >= kWordBytes) {
    uint64_t header = 0;
    std::memcpy(&header, records.data() + end, sizeof(header));
    const bool large = (header & 0xf) == static_cast<uint64_t>(RecordType::kLarge);
    const uint64_t words = header >> 4 & (large ? 0xffffffff : 0xfff);
    if (words == 0 || words > (limit - end) / kWordBytes) break;
    end += words * kWordBytes;
  }
  return end;
}

}  // namespace fxt
