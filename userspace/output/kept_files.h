// SPDX-License-Identifier: BSD-2-Clause
// Keeps the newest files that match a pattern, and removes older ones.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "output/name_pattern.h"

namespace output {

class KeptFiles {
 public:
  // `pattern` is unique and outlives this. `keep` 0 keeps all.
  KeptFiles(const NamePattern& pattern, uint64_t keep) : pattern_(pattern), keep_(keep) {}

  // Adds the file at `path`, a name of the pattern, as the newest one. Its order does not depend on
  // the wall clock.
  void Add(std::string path) {
    if (keep_ != 0) added_.push_back(std::move(path));
  }

  // Removes surplus files, oldest first, and returns their paths. Files that were not added are
  // older than those that were, in the order of their modification times. A file counts if its name
  // matches, it is regular, begins as a trace does, belongs to this user (for root: to the owner of
  // the directory), and no process is writing it.
  std::vector<std::string> Trim();

 private:
  const NamePattern& pattern_;
  const uint64_t keep_;
  std::vector<std::string> added_;  // oldest first
};

}  // namespace output
