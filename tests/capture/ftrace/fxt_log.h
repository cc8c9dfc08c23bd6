// SPDX-License-Identifier: BSD-2-Clause
// Reads the switches of a recording with the names that precede each of them in the file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "capture/ftrace/switch_log.h"
#include "util/result.h"

namespace truth {

struct DeclaredLoss {
  uint64_t time_ns = 0;
  uint32_t cpu = 0;
  uint64_t count = 0;
  std::string category;
};

struct UnseenSwitch {
  uint64_t time_ns = 0;
  uint32_t cpu = 0;
};

struct FxtLog {
  // Thread ids are the low 22 bits of the koids, and 0 for an idle thread. Records that close a gap
  // for viewers are left out, so that the gap remains visible.
  SwitchLog log;
  std::vector<DeclaredLoss> losses;
  std::vector<UnseenSwitch> unseen;
  std::vector<UnseenSwitch> gap_begins;     // "(lost events)" comes to a CPU
  std::map<std::string, uint64_t> records;  // by type
  uint64_t bytes = 0;                       // of the stream, uncompressed
  uint64_t switch_bytes = 0;                // of the context switch records alone
  uint64_t wakeup_bytes = 0;
  uint64_t closings = 0;  // records that close a gap
  uint64_t provider_events = 0;
  uint64_t switches_out_of_order = 0;  // earlier than one before them in the file
  uint64_t first_ns = 0, last_ns = 0;  // of the switches
  bool truncated = false;
  // Violations: a thread without a name at its first use, a name without a process, a malformed
  // record. The list has the first few.
  std::vector<std::string> problems;
  uint64_t problem_count = 0;

  uint64_t lost() const;
};

struct FxtLogOptions {
  // If false, a truncated file is valid and sets `truncated`.
  bool need_whole = true;
};

// Reads `path`, which may be gzip.
util::Result<FxtLog> ReadFxtLog(const std::string& path, const FxtLogOptions& options = {});

}  // namespace truth
