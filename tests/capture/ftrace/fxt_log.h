// SPDX-License-Identifier: BSD-2-Clause
// The switches of an FXT file of ours, with the names that stand before each of them in the file.
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
  // Task ids are the low 22 bits of the koids, and 0 for an idle thread. Records that only close a
  // gap for viewers are not in here, so that the gap shows.
  SwitchLog log;
  std::vector<DeclaredLoss> losses;
  std::vector<UnseenSwitch> unseen;
  std::map<std::string, uint64_t> records;  // by type
  uint64_t bytes = 0;                       // of the stream, uncompressed
  uint64_t switch_bytes = 0;                // of the context switch records alone
  uint64_t wakeup_bytes = 0;
  uint64_t closings = 0;  // records that close a gap
  uint64_t provider_events = 0;
  uint64_t switches_out_of_order = 0;  // earlier than one before them in the file
  uint64_t first_ns = 0, last_ns = 0;  // of the switches
  bool truncated = false;
  // What a file of ours must not have: a thread without a name where it is first used, a name
  // without a process, a malformed record. The first few, and how many.
  std::vector<std::string> problems;
  uint64_t problem_count = 0;

  uint64_t lost() const;
};

struct FxtLogOptions {
  // Off, a file cut at any point is fine and sets `truncated`.
  bool need_whole = true;
};

// Reads `path`, which may be gzip.
util::Result<FxtLog> ReadFxtLog(const std::string& path, const FxtLogOptions& options = {});

}  // namespace truth
