// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/build_id_note.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace symbols {
namespace {

constexpr size_t kMostNoteBytes = 64 << 10;
constexpr unsigned kMostSegments = 256;

template <typename T>
bool ReadAt(int fd, uint64_t offset, T& into) {
  return pread(fd, &into, sizeof(into), static_cast<off_t>(offset)) ==
         static_cast<ssize_t>(sizeof(into));
}

// Empty if it is no ELF file of this machine's byte order.
template <typename Header, typename Segment>
std::optional<util::BuildId> ReadNotes(int fd) {
  Header header;
  if (!ReadAt(fd, 0, header) || header.e_phentsize != sizeof(Segment)) return std::nullopt;
  util::BuildId id;
  for (unsigned i = 0; i < header.e_phnum && i < kMostSegments && id.empty(); ++i) {
    Segment segment;
    if (!ReadAt(fd, header.e_phoff + uint64_t{i} * sizeof(Segment), segment)) return std::nullopt;
    if (segment.p_type != PT_NOTE) continue;
    std::vector<std::byte> notes(std::min<size_t>(segment.p_filesz, kMostNoteBytes));
    const ssize_t got = pread(fd, notes.data(), notes.size(), static_cast<off_t>(segment.p_offset));
    if (got > 0) id = FindBuildId(std::span(notes).first(static_cast<size_t>(got)));
  }
  return id;
}

}  // namespace

util::BuildId FindBuildId(std::span<const std::byte> notes) {
  // A note: owner size, content size, type; then both, each padded to four bytes.
  constexpr std::string_view kOwner("GNU\0", 4);
  uint32_t head[3];
  while (notes.size() >= sizeof(head)) {
    std::memcpy(head, notes.data(), sizeof(head));
    const uint64_t contents = sizeof(head) + (uint64_t{head[0]} + 3) / 4 * 4;
    if (contents + head[1] > notes.size()) break;
    if (head[2] == NT_GNU_BUILD_ID && head[0] == kOwner.size() &&
        std::memcmp(notes.data() + sizeof(head), kOwner.data(), kOwner.size()) == 0) {
      return util::BuildId::FromBytes(notes.subspan(contents, head[1]));
    }
    const uint64_t next = contents + (uint64_t{head[1]} + 3) / 4 * 4;
    if (next >= notes.size()) break;
    notes = notes.subspan(next);
  }
  return {};
}

std::optional<util::BuildId> ReadBuildId(int fd) {
  std::array<unsigned char, EI_NIDENT> ident{};
  if (!ReadAt(fd, 0, ident) || std::memcmp(ident.data(), ELFMAG, SELFMAG) != 0) {
    return std::nullopt;
  }
  return ident[EI_CLASS] == ELFCLASS64 ? ReadNotes<Elf64_Ehdr, Elf64_Phdr>(fd)
                                       : ReadNotes<Elf32_Ehdr, Elf32_Phdr>(fd);
}

}  // namespace symbols
