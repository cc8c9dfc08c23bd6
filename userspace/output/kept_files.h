// SPDX-License-Identifier: BSD-2-Clause
// The newest so many files of those that a pattern names; older ones are removed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "output/name_pattern.h"

namespace output {

class KeptFiles {
 public:
  // `pattern` is unique and outlives this. `keep` 0: all of them.
  KeptFiles(const NamePattern& pattern, uint64_t keep) : pattern_(pattern), keep_(keep) {}

  // Removes what is too much, oldest first, and returns the paths. A file is one of them if its
  // name is, it is a regular one, begins as a trace does, is this user's (or, for root, of whom the
  // directory is), and nobody is writing it.
  std::vector<std::string> Trim() const;

 private:
  const NamePattern& pattern_;
  const uint64_t keep_;
};

}  // namespace output
