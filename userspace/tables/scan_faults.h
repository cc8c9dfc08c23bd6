// SPDX-License-Identifier: BSD-2-Clause
// What is wrong with a trace that was read, and what of it found no room.
#pragma once

#include <cstdint>
#include <string>

namespace tables {

struct ScanFaults {
  std::string error = {};       // why reading stopped before the end; empty if it did not
  bool is_cut_short = false;    // the file ends within a record
  bool is_incomplete = false;   // threads, names or spans found no room
  uint64_t malformed = 0;       // records that were skipped
  uint64_t dropped_names = 0;   // beyond the reader's memory limit
  uint64_t cut_texts = 0;       // that would make rows many times as large as the file
};

}  // namespace tables
