// SPDX-License-Identifier: BSD-2-Clause
// Makes the names of a series of files from a pattern, each name once.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "output/name_pattern.h"

namespace tools {

class FileNames {
 public:
  explicit FileNames(output::NamePattern pattern) : pattern_(std::move(pattern)) {}

  // Skips the numbers up to the highest of the existing files, so that no file of an earlier
  // session is replaced. Without %n it does nothing.
  void ContinueNumbers();
  // The name of the next file.
  std::string Next();
  const output::NamePattern& pattern() const { return pattern_; }

 private:
  const output::NamePattern pattern_;
  uint64_t next_ = 1;
  std::string last_;
};

}  // namespace tools
