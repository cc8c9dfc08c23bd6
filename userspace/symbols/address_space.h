// SPDX-License-Identifier: BSD-2-Clause
// The mappings of one process by address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace symbols {

struct MappedRange {
  uint64_t start = 0;
  uint64_t size = 0;         // bytes
  uint64_t file_offset = 0;  // of the first byte
  // File offset at which the original mapping began, before it was split.
  uint64_t mapping_offset = 0;
  uint32_t module = 0;  // the caller's id of the file
};

class AddressSpace {
 public:
  // A new mapping replaces what it overlaps; the rest of the old ones stays. A size beyond the end
  // of the address space is cut.
  void Map(uint64_t start, uint64_t size, uint64_t file_offset, uint32_t module);
  // The mapping of an address, or null. Valid until the next Map().
  const MappedRange* Find(uint64_t address) const;
  size_t size() const { return ranges_.size(); }

 private:
  std::map<uint64_t, MappedRange> ranges_;  // by start; disjoint
};

}  // namespace symbols
