// SPDX-License-Identifier: BSD-2-Clause
// Shows the progress of long work on a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "fxt/byte_source.h"

namespace tools {

// Writes to standard error, only if that is a terminal and the work takes longer than a second.
class Progress {
 public:
  // `prints`: the work prints to standard output meanwhile. If that is a terminal, there is no
  // progress.
  Progress(const std::string& what, const fxt::ByteSource& source, bool prints = true);
  // `total` bytes of work; 0: unknown.
  Progress(const std::string& what, uint64_t total, bool prints = true);
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `bytes` of the uncompressed stream are done. Cheap enough for every few thousand records.
  void Update(uint64_t bytes);
  // Erases the line before other output.
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::string what_;
  const fxt::ByteSource* source_ = nullptr;
  uint64_t total_ = 0;  // without a source
  bool wanted_;
  bool shown_ = false;
  Clock::time_point next_;
};

}  // namespace tools
