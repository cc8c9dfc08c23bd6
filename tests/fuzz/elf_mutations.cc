// SPDX-License-Identifier: BSD-2-Clause
#include "fuzz/elf_mutations.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace fuzz {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFileBytes = size_t{2} << 20;

std::vector<ElfOriginal::Region> RegionsOf(const Bytes& bytes, const ElfOriginal::Weight& weight) {
  std::vector<ElfOriginal::Region> regions;
  Elf64_Ehdr head;
  if (bytes.size() < sizeof(head)) return regions;
  std::memcpy(&head, bytes.data(), sizeof(head));
  const auto add = [&](uint64_t begin, uint64_t size) {
    if (begin < bytes.size() && size <= bytes.size() - begin && size != 0) {
      regions.push_back({static_cast<size_t>(begin), static_cast<size_t>(size)});
    }
  };
  add(0, sizeof(head));
  add(head.e_phoff, uint64_t{head.e_phnum} * sizeof(Elf64_Phdr));
  add(head.e_shoff, uint64_t{head.e_shnum} * sizeof(Elf64_Shdr));
  const size_t headers = regions.size();
  for (size_t i = 0; i < head.e_shnum; ++i) {
    Elf64_Shdr section, names;
    const size_t at = head.e_shoff + i * sizeof(section);
    const size_t names_at = head.e_shoff + head.e_shstrndx * sizeof(names);
    if (at + sizeof(section) > bytes.size() || names_at + sizeof(names) > bytes.size()) break;
    std::memcpy(&section, bytes.data() + at, sizeof(section));
    std::memcpy(&names, bytes.data() + names_at, sizeof(names));
    if (names.sh_offset + section.sh_name >= bytes.size()) continue;
    const auto* text =
        reinterpret_cast<const char*>(bytes.data() + names.sh_offset + section.sh_name);
    const std::string_view name(text,
                                strnlen(text, bytes.size() - names.sh_offset - section.sh_name));
    for (int times = weight(name); times > 0; --times) add(section.sh_offset, section.sh_size);
  }
  if (regions.size() == headers) regions.clear();
  return regions;
}

}  // namespace

ElfOriginal ElfOriginal::Read(const std::string& path, const Weight& weight) {
  std::ifstream file(path, std::ios::binary);
  ElfOriginal original{path, {std::istreambuf_iterator<char>(file), {}}, {}};
  original.regions = RegionsOf(original.bytes, weight);
  return original;
}

Bytes ElfOriginal::Mutate(Random& random, size_t most) const {
  Bytes mutated = bytes;
  constexpr std::array<uint64_t, 10> kNumbers = {
      0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fffffff, 0xffffffff, 0x7fffffffffffffff, UINT64_MAX};
  const size_t count = 1 + Below(random, most);
  for (size_t i = 0; i < count; ++i) {
    const Region& region = regions[Below(random, regions.size())];
    const size_t at = region.begin + Below(random, region.size);
    const size_t left = region.begin + region.size - at;
    switch (random() % 5) {
      case 0:
        mutated[at] ^= static_cast<uint8_t>(1U << (random() % 8));
        break;
      case 1:
        mutated[at] = static_cast<uint8_t>(random());
        break;
      case 2: {
        const uint64_t number = kNumbers[random() % kNumbers.size()] + random() % 3 - 1;
        std::memcpy(mutated.data() + at, &number,
                    std::min<size_t>(left, size_t{1} << (random() % 4)));
        break;
      }
      case 3: {  // a piece of the region again: entries, or parts of them
        const size_t size = std::min(left, 1 + Below(random, 256));
        const size_t from = region.begin + Below(random, region.size - size + 1);
        std::memmove(mutated.data() + at, mutated.data() + from, size);
        break;
      }
      default:  // a long number in LEB128
        std::fill_n(mutated.begin() + static_cast<ptrdiff_t>(at),
                    std::min<size_t>(left, 1 + Below(random, 12)), 0xff);
    }
  }
  if (random() % 16 == 0) mutated.resize(Below(random, mutated.size()));
  return mutated;
}

std::vector<std::string> FilesOfThisMachine() {
  std::vector<std::string> files;
  for (const char* folder : {"/usr/bin", "/usr/lib/x86_64-linux-gnu"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (entry.is_regular_file(error) && entry.file_size(error) <= kMaxFileBytes)
        files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

int MemoryFile(const Bytes& bytes) {
  const int file = memfd_create("mutated", MFD_CLOEXEC);
  if (file < 0 || write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    std::abort();
  return file;
}

}  // namespace fuzz
