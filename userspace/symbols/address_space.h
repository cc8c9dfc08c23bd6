// SPDX-License-Identifier: BSD-2-Clause
// What is mapped where in one process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace symbols {

struct MappedRange {
  uint64_t start = 0;
  uint64_t size = 0;         // bytes
  uint64_t file_offset = 0;  // of the first byte
  // Where in the file the mapping began that this is a part of.
  uint64_t mapping_offset = 0;
  uint32_t module = 0;  // the caller's number for the file
};

class AddressSpace {
 public:
  // A new mapping takes the place of what it covers; what sticks out of it stays. Sizes that pass
  // the end of the address space are cut.
  void Map(uint64_t start, uint64_t size, uint64_t file_offset, uint32_t module);
  // Null where nothing is mapped. Valid until the next Map().
  const MappedRange* Find(uint64_t address) const;
  size_t size() const { return ranges_.size(); }

 private:
  std::map<uint64_t, MappedRange> ranges_;  // by start; they do not overlap
};

}  // namespace symbols
