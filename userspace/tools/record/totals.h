// SPDX-License-Identifier: BSD-2-Clause
// What fxt-record says when it is done, for people and as JSON.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "capture/capture_session.h"
#include "tools/record/process/console.h"
#include "translate/translation_stats.h"

namespace tools {

struct Totals {
  std::string output;
  uint64_t duration = 0;      // ns
  uint64_t file_bytes = 0;    // as it is on disk
  uint64_t record_bytes = 0;  // before compression
  uint64_t start_bytes = 0;   // of them, the session and the names of the tasks at the start
  uint64_t cpu_time = 0;      // of the recorder, ns
  uint64_t peak_memory = 0;   // bytes resident
  uint32_t rings = 0;
  uint64_t ring_bytes = 0;  // each
  uint64_t side_ring_bytes = 0;
  uint64_t kernel_memory = 0;  // bytes of rings and other maps
  bool realtime = false;
  bool output_failed = false;  // the file ends early
  uint64_t output_bytes = 0;   // of record_bytes, those that the output took
  uint64_t refused_records = 0;
  uint64_t thread_tables = 0;
  uint64_t threads_alive = 0;
  capture::CaptureStats capture;
  translate::TranslationStats translation;
  std::map<std::pair<int32_t, uint32_t>, uint64_t> lost;  // by CPU and category

  uint64_t lost_events() const;
  // Of the switches' records and what they needed.
  double bytes_per_switch() const;
};

// Several lines.
void PrintTotals(const Totals& totals, Console& console);
// Only what was lost, if anything was.
void PrintLosses(const Totals& totals, Console& console);
// One object, and a line feed.
std::string TotalsJson(const Totals& totals);

}  // namespace tools
