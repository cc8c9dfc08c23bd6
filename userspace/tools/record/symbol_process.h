// SPDX-License-Identifier: BSD-2-Clause
// Reads a recording and the symbols of its programs in a process that may read files and nothing
// else: any user may have made the programs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "util/result.h"
#include "util/unique_fd.h"

namespace tools {

class SymbolProcess {
 public:
  struct Counts {
    uint64_t functions = 0;
    uint64_t stacks = 0;    // with names
    uint64_t left_out = 0;  // without names, because the time or the memory was used up
  };
  enum class Event : uint8_t { kRecords, kCounts, kNothing, kEnd };

  // Stops naming after `naming_ns`.
  static util::Result<std::unique_ptr<SymbolProcess>> Start(const std::string& path,
                                                            uint64_t naming_ns);
  // Ends the process.
  ~SymbolProcess();
  SymbolProcess(const SymbolProcess&) = delete;
  SymbolProcess& operator=(const SymbolProcess&) = delete;

  // Waits for `timeout_ms` at most. kRecords: see records(); kCounts: see counts(); kNothing: the
  // timeout; kEnd: all records have come. An error: the recording cannot be read, or the process
  // crashed.
  util::Result<Event> Next(int timeout_ms);
  // Whole records of the recording with names.
  const std::vector<std::byte>& records() const { return records_; }
  const Counts& counts() const { return counts_; }

 private:
  SymbolProcess(util::UniqueFd pipe, pid_t process) : pipe_(std::move(pipe)), process_(process) {}
  bool ReadAll(void* into, size_t size);

  util::UniqueFd pipe_;
  pid_t process_;
  std::vector<std::byte> records_;
  Counts counts_;
};

}  // namespace tools
