// SPDX-License-Identifier: BSD-2-Clause
// The summary of a recording into one file, for people and as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "capture/capture_session.h"
#include "session/recording.h"
#include "tools/record/process/console.h"

namespace tools {

struct Totals {
  std::string output;
  uint64_t duration = 0;      // ns
  uint64_t file_bytes = 0;    // as it is on disk
  uint64_t record_bytes = 0;  // before compression; with --symbols those of the file with names
  uint64_t cpu_time = 0;      // of the recorder, ns
  uint64_t peak_memory = 0;   // bytes resident
  uint32_t rings = 0;
  uint64_t ring_bytes = 0;  // each
  uint64_t side_ring_bytes = 0;
  uint64_t kernel_memory = 0;  // bytes of rings and other maps
  bool realtime = false;
  bool output_failed = false;      // the file ends early
  uint64_t providers_refused = 0;  // programs beyond the limit
  session::FileTotals file;
  capture::CaptureStats capture;
  std::optional<capture::UnwindStats> unwind;

  uint64_t lost_events() const;
  // Bytes of the switch records, and of the string and thread records that they needed.
  double bytes_per_switch() const;
};

// Several lines.
void PrintTotals(const Totals& totals, Console& console);
// Only what was lost, if anything was.
void PrintLosses(const Totals& totals, Console& console);
// One object, and a line feed.
std::string TotalsJson(const Totals& totals);

}  // namespace tools
