// SPDX-License-Identifier: BSD-2-Clause
// Keeps unwind tables in files for later recordings, by what identifies a file as long as its
// contents stay the same: device, inode, size and time of change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "fxt_record/unwind.h"
#include "unwind/table_store.h"
#include "unwind/unwind_table.h"
#include "util/unique_fd.h"

namespace unwind {

// A table in a file.
struct KeptTable {
  UnwindTable::Shape shape;
  size_t words = 0;  // 0: the file has no table
  // Reads all words, once. False if the file is damaged.
  TableStore::Fill read;
};

class TableCache {
 public:
  static constexpr const char* kPath = "/var/cache/fxt-record";
  // Limit for all files together; the least recently used are removed first.
  static constexpr uint64_t kMaxBytes = uint64_t{64} << 20;
  // A larger file is not kept.
  static constexpr uint64_t kMaxFileBytes = uint64_t{16} << 20;

  // Keeps nothing.
  TableCache() = default;
  // Makes the folder, readable to this user alone. Keeps nothing if it cannot be made, is another
  // user's, or is open to others.
  static TableCache Open(const std::string& path = kPath, uint64_t max_bytes = kMaxBytes);

  bool available() const { return folder_.valid(); }

  // The table that was kept for the file, which may be an empty one. Nothing if there is none.
  std::optional<KeptTable> Find(const fxr_unwind_file& file) const;
  // `fd` is open on the file that the table was made from. Nothing is kept if that is another file
  // now, if it was changed within the last seconds (its time may not show the next change), or if
  // it is in a file system of a user's program, which may report any times. Failures are ignored:
  // the table is made again.
  void Keep(const fxr_unwind_file& file, int fd, const UnwindTable& table);

  // The name of the file's table in the folder.
  static std::string NameOf(const fxr_unwind_file& file);

 private:
  // Removes files until `bytes` more fit.
  void MakeRoom(uint64_t bytes);

  util::UniqueFd folder_;
  uint64_t max_bytes_ = 0;
  std::optional<uint64_t> used_bytes_;  // by all files; empty: not counted yet
};

}  // namespace unwind
