// SPDX-License-Identifier: BSD-2-Clause
// The events of each CPU in the form that the comparison uses for both tracers.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "util/result.h"

namespace truth {

// A table of distinct names.
class NameTable {
 public:
  NameTable() = default;
  NameTable(NameTable&&) = default;
  NameTable& operator=(NameTable&&) = default;

  uint32_t Intern(std::string_view name);
  const std::string& Name(uint32_t id) const { return names_[id]; }
  size_t size() const { return names_.size(); }

 private:
  std::deque<std::string> names_;  // elements stay where they are, the index views them
  std::unordered_map<std::string_view, uint32_t> ids_;
};

struct Switch {
  uint64_t time_ns = 0;  // CLOCK_BOOTTIME
  int32_t prev_tid = 0;  // 0: idle
  int32_t next_tid = 0;
  uint32_t prev_name = 0;  // of the log's NameTable
  uint32_t next_name = 0;
  int16_t prev_priority = 0;
  int16_t next_priority = 0;
  // In a recording: the bits of the koid above the thread id. ftrace has none.
  uint16_t prev_generation = 0;
  uint16_t next_generation = 0;
  char prev_state = '?';  // a letter of StateLetters
};

// A rename event. The name changes a moment later.
struct Rename {
  uint64_t time_ns = 0;
  uint32_t cpu = 0;
  int32_t by_tid = 0;
  int32_t tid = 0;
  uint32_t old_name = 0;
  uint32_t new_name = 0;
};

// The start of a task. From here on `tid` is another task than before.
struct Birth {
  uint64_t time_ns = 0;
  int32_t parent_tid = 0;
  int32_t tid = 0;
};

// An exec of a thread that was not the leader. It takes the thread id of the leader.
struct Takeover {
  uint64_t time_ns = 0;  // some time after
  int32_t old_tid = 0;
  int32_t tid = 0;
};

// A second time stamp of a switch, taken after all other tracers. The recording's time lies between
// the two stamps, even if the machine paused there.
struct SecondStamp {
  uint64_t time_ns = 0;
  int32_t prev_tid = 0;
  int32_t next_tid = 0;
};

struct SwitchLog {
  uint64_t begin_ns = 0;         // the log is complete from here
  uint64_t end_ns = UINT64_MAX;  // to here
  NameTable names;
  std::vector<std::vector<Switch>> cpus;                // indexed by CPU number, each in time order
  std::vector<std::vector<SecondStamp>> second_stamps;  // indexed by CPU; may be empty
  std::vector<Rename> renames;                          // in time order
  std::vector<Birth> births;                            // in time order
  std::vector<Takeover> takeovers;
  std::vector<int32_t> first_tids;  // threads at the beginning, ascending
  std::vector<int32_t> init_tids;   // threads of PID 1, ascending

  size_t switch_count() const;
};

// Writes and reads a log as a file, for a later comparison.
util::Status SaveSwitchLog(const SwitchLog& log, const std::string& path);
util::Result<SwitchLog> LoadSwitchLog(const std::string& path);

}  // namespace truth
