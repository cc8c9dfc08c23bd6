// SPDX-License-Identifier: BSD-2-Clause
// Runs the recorder.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "capture/support/child_process.h"
#include "util/result.h"

namespace truth {

// The content of --stats-json.
struct CaptureStats {
  uint64_t raw_events = 0;
  uint64_t records = 0;
  uint64_t suppressed = 0;
  uint64_t dropped = 0;
  std::map<int32_t, std::map<std::string, uint64_t>> dropped_by_cpu;  // CPU (or -1), category
  nlohmann::json json;                                                // all of it

  static util::Result<CaptureStats> Read(const std::string& path);
};

// `fxt-record -q -o PATH OPTIONS... [-- COMMAND...]`.
std::vector<std::string> RecordCommand(const std::string& path,
                                       const std::vector<std::string>& options,
                                       const std::vector<std::string>& command = {});

// Runs a command of RecordCommand with a high priority for the recorder and a normal one for its
// command. Use it where a test requires that nothing is lost: on a busy machine a recorder without
// CPU time loses events.
std::vector<std::string> WithPriority(const std::vector<std::string>& record);

// Waits until the recorder has begun to write `path`. Events before that may be missing. Returns
// false after `limit`.
bool WaitForFile(const std::string& path, std::chrono::milliseconds limit);

}  // namespace truth
