// SPDX-License-Identifier: BSD-2-Clause
// Names of threads and processes by tid and pid.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "fxt/record.h"

namespace analyze {

class LbrNames {
 public:
  // Takes thread and process objects, and ignores others. A reused number has its last name.
  void Note(const fxt::KernelObject& object);

  // "" without a record of it. The idle task is "swapper".
  const std::string& thread(uint32_t tid) const { return Find(threads_, tid); }
  const std::string& process(uint32_t pid) const { return Find(processes_, pid); }

 private:
  using Names = std::unordered_map<uint32_t, std::string>;
  static const std::string& Find(const Names& names, uint32_t id);

  Names threads_;
  Names processes_;
};

}  // namespace analyze
