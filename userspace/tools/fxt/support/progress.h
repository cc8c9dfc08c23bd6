// SPDX-License-Identifier: BSD-2-Clause
// Shows the progress of long work on a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "fxt/byte_source.h"

namespace tools {

// Writes to standard error, only if that is a terminal, the work takes longer than a second, and
// standard output is not the same terminal.
class Progress {
 public:
  Progress(const std::string& what, const fxt::ByteSource& source);
  // `total` bytes of work; 0: unknown.
  Progress(const std::string& what, uint64_t total);
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
