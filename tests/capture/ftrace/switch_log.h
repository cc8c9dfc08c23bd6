// SPDX-License-Identifier: BSD-2-Clause
// What happened on each CPU, as one of the two tracers saw it: the common form in which they are
// compared.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "util/result.h"

namespace truth {

// Each distinct name once.
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
  // In a recording: what its koids carry above the task id. The kernel's own record has no such
  // thing.
  uint16_t prev_generation = 0;
  uint16_t next_generation = 0;
  char prev_state = '?';  // a letter of StateLetters
};

// A rename as it was announced; the name itself changes a moment later.
struct Rename {
  uint64_t time_ns = 0;
  uint32_t cpu = 0;
  int32_t by_tid = 0;
  int32_t tid = 0;
  uint32_t old_name = 0;
  uint32_t new_name = 0;
};

// A new task: from here on `tid` is somebody else than whoever had it before.
struct Birth {
  uint64_t time_ns = 0;
  int32_t parent_tid = 0;
  int32_t tid = 0;
};

// A thread that was not the leader has executed a program and is now the leader, by its task id.
struct Takeover {
  uint64_t time_ns = 0;  // some time after
  int32_t old_tid = 0;
  int32_t tid = 0;
};

// The kernel's event for a switch, stamped again after every other tracer has had it: a recording's
// time of the switch lies in between, however long the machine paused there.
struct SecondStamp {
  uint64_t time_ns = 0;
  int32_t prev_tid = 0;
  int32_t next_tid = 0;
};

struct SwitchLog {
  uint64_t begin_ns = 0;         // everything from here
  uint64_t end_ns = UINT64_MAX;  // to here was seen
  NameTable names;
  std::vector<std::vector<Switch>> cpus;                // indexed by CPU number, each in time order
  std::vector<std::vector<SecondStamp>> second_stamps;  // indexed by CPU; may be empty
  std::vector<Rename> renames;                          // in time order
  std::vector<Birth> births;                            // in time order
  std::vector<Takeover> takeovers;
  std::vector<int32_t> first_tids;  // threads that were there at the beginning, ascending
  std::vector<int32_t> init_tids;   // threads of PID 1, ascending

  size_t switch_count() const;
};

// A log as bytes on disk, for a comparison at another time.
util::Status SaveSwitchLog(const SwitchLog& log, const std::string& path);
util::Result<SwitchLog> LoadSwitchLog(const std::string& path);

}  // namespace truth
