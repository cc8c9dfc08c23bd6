// SPDX-License-Identifier: BSD-2-Clause
// Faults of a trace, and parts of it that were dropped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace tables {

struct ScanFaults {
  std::string error = {};      // the error that ended reading early; empty without one
  bool is_cut_short = false;   // the file ends within a record
  bool is_incomplete = false;  // threads, names or spans were dropped
  uint64_t malformed = 0;      // records that were skipped
  uint64_t dropped_names = 0;  // beyond the reader's memory limit
  uint64_t cut_texts = 0;      // that would make rows many times as large as the file
  // Requests without rows of `path`, which would be many times as many as the file has records.
  uint64_t paths_left_out = 0;

  // Returns the faults that `known` does not have.
  ScanFaults Beyond(const ScanFaults& known) const {
    const auto count = [](uint64_t here, uint64_t there) { return there == 0 ? here : 0; };
    return {.error = known.error.empty() ? error : std::string(),
            .is_cut_short = is_cut_short && !known.is_cut_short,
            .is_incomplete = is_incomplete && !known.is_incomplete,
            .malformed = count(malformed, known.malformed),
            .dropped_names = count(dropped_names, known.dropped_names),
            .cut_texts = count(cut_texts, known.cut_texts),
            .paths_left_out = count(paths_left_out, known.paths_left_out)};
  }
  // Adds what another scan of the same trace, of other tables or columns, has found.
  void Join(const ScanFaults& other) {
    if (error.empty()) error = other.error;
    is_cut_short |= other.is_cut_short;
    is_incomplete |= other.is_incomplete;
    malformed = std::max(malformed, other.malformed);
    dropped_names = std::max(dropped_names, other.dropped_names);
    cut_texts = std::max(cut_texts, other.cut_texts);
    paths_left_out = std::max(paths_left_out, other.paths_left_out);
  }
};

}  // namespace tables
