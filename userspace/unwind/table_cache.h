// SPDX-License-Identifier: BSD-2-Clause
// Keeps unwind tables in files, by build id, for later recordings. A file also has all that its
// table was made from, and is used for a module with the same contents alone: a build id is what
// the maker of a file writes there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "symbols/elf_file.h"
#include "unwind/frame_section.h"
#include "unwind/unwind_table.h"
#include "util/build_id.h"
#include "util/unique_fd.h"

namespace unwind {

class TableCache {
 public:
  static constexpr const char* kPath = "/var/cache/fxt-record";
  // Of all files together; the oldest ones are removed first.
  static constexpr uint64_t kMaxBytes = uint64_t{64} << 20;
  // A larger file is not kept.
  static constexpr uint64_t kMaxFileBytes = uint64_t{16} << 20;

  // Keeps nothing.
  TableCache() = default;
  // Makes the folder, readable to this user alone. Keeps nothing if it cannot be made, is another
  // user's, or is open to others.
  static TableCache Open(const std::string& path = kPath, uint64_t max_bytes = kMaxBytes);

  bool available() const { return folder_.valid(); }
  // The file's table: the kept one, or made now and kept. See UnwindTable::Read().
  UnwindTable Read(const symbols::ElfFile& file);

  // The kept table of what was made from the same input; empty if there is none.
  std::optional<UnwindTable> Find(const util::BuildId& id, const FrameSection& section,
                                  std::span<const symbols::LoadSegment> segments) const;
  // Failures are ignored: the table is made again.
  void Keep(const util::BuildId& id, const FrameSection& section,
            std::span<const symbols::LoadSegment> segments, const UnwindTable& table);

 private:
  // Removes files until `bytes` more fit.
  void MakeRoom(uint64_t bytes);

  util::UniqueFd folder_;
  uint64_t max_bytes_ = 0;
  std::optional<uint64_t> used_bytes_;  // by all files; empty: not counted yet
  std::vector<std::byte> section_;      // a buffer of Read()
};

}  // namespace unwind
