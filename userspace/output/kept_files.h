// SPDX-License-Identifier: BSD-2-Clause
// The newest so many files of those that a pattern names; older ones are removed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "output/name_pattern.h"

namespace output {

class KeptFiles {
 public:
  // `pattern` is unique and outlives this. `keep` 0: all of them.
  KeptFiles(const NamePattern& pattern, uint64_t keep) : pattern_(pattern), keep_(keep) {}

  // The file at `path`, a name of the pattern's, is newer than all that are there, whatever the
  // wall clock says now or later.
  void Add(std::string path) {
    if (keep_ != 0) added_.push_back(std::move(path));
  }

  // Removes what is too much, oldest first, and returns the paths. Those that nobody added are
  // older than those that were, and as old as they say. A file is one of them if its name is, it is
  // a regular one, begins as a trace does, is this user's (or, for root, of whom the directory is),
  // and nobody is writing it.
  std::vector<std::string> Trim();

 private:
  const NamePattern& pattern_;
  const uint64_t keep_;
  std::vector<std::string> added_;  // oldest first
};

}  // namespace output
