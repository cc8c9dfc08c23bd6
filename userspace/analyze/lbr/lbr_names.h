// SPDX-License-Identifier: BSD-2-Clause
// Names of the threads and processes that samples name by Linux's numbers.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "fxt/record.h"

namespace analyze {

class LbrNames {
 public:
  // Threads and processes; other objects are left alone. Of a number that was used again the last
  // name counts.
  void Note(const fxt::KernelObject& object);

  // "" when no record named it; the idle task is "swapper".
  const std::string& thread(uint32_t tid) const { return Find(threads_, tid); }
  const std::string& process(uint32_t pid) const { return Find(processes_, pid); }

 private:
  using Names = std::unordered_map<uint32_t, std::string>;
  static const std::string& Find(const Names& names, uint32_t id);

  Names threads_;
  Names processes_;
};

}  // namespace analyze
