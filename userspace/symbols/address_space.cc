// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/address_space.h"

#include <algorithm>
#include <iterator>

namespace symbols {

void AddressSpace::Map(uint64_t start, uint64_t size, uint64_t file_offset, uint32_t module) {
  size = std::min(size, UINT64_MAX - start);
  if (size == 0) return;
  const uint64_t end = start + size;
  auto next = ranges_.upper_bound(start);
  if (next != ranges_.begin()) {
    MappedRange& before = std::prev(next)->second;
    const uint64_t before_end = before.start + before.size;
    if (before_end > end) {
      // The new mapping splits the old one; the part after it stays.
      MappedRange rest = before;
      rest.start = end;
      rest.size = before_end - end;
      rest.file_offset += end - before.start;
      ranges_.emplace(end, rest);
    }
    if (before_end > start) {
      before.size = start - before.start;
      if (before.size == 0) ranges_.erase(before.start);
    }
  }
  for (auto covered = ranges_.lower_bound(start);
       covered != ranges_.end() && covered->first < end;) {
    MappedRange rest = covered->second;
    covered = ranges_.erase(covered);
    if (rest.start + rest.size <= end) continue;
    rest.file_offset += end - rest.start;
    rest.size -= end - rest.start;
    rest.start = end;
    ranges_.emplace(end, rest);
    break;
  }
  ranges_[start] = {start, size, file_offset, file_offset, module};
}

const MappedRange* AddressSpace::Find(uint64_t address) const {
  const auto next = ranges_.upper_bound(address);
  if (next == ranges_.begin()) return nullptr;
  const MappedRange& range = std::prev(next)->second;
  return address - range.start < range.size ? &range : nullptr;
}

}  // namespace symbols
