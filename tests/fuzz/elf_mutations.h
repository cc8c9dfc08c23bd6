// SPDX-License-Identifier: BSD-2-Clause
// Mutates ELF files: headers, section headers and chosen sections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

using Bytes = std::vector<uint8_t>;
using Random = std::mt19937_64;

inline size_t Below(Random& random, size_t limit) { return limit == 0 ? 0 : random() % limit; }

struct ElfOriginal {
  struct Region {
    size_t begin = 0;
    size_t size = 0;
  };
  // Weight of sections of this name; 0: never.
  using Weight = std::function<int(std::string_view section)>;

  // Without regions if it is no ELF file with such a section.
  static ElfOriginal Read(const std::string& path, const Weight& weight);

  // A copy with up to `most` mutations: bits, numbers at limits, copied pieces, long LEB128
  // numbers, and the end of the file.
  Bytes Mutate(Random& random, size_t most) const;

  std::string path;
  Bytes bytes;
  std::vector<Region> regions;  // that are mutated
};

// Programs and libraries of /usr of at most 2 MiB, sorted.
std::vector<std::string> FilesOfThisMachine();

// A file in memory with these bytes.
int MemoryFile(const Bytes& bytes);

}  // namespace fuzz
