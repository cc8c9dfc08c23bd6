// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/build_id_note.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace symbols {

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

}  // namespace symbols
