// SPDX-License-Identifier: BSD-2-Clause
// Names of threads and processes by tid and pid.
#pragma once

#include <cstdint>
#include <string>

#include "facts/task_names.h"
#include "fxt/record.h"

namespace analyze {

class LbrNames {
 public:
  static constexpr size_t kMaxBytes = size_t{128} << 20;

  // Takes thread and process objects, and ignores others. A reused number has its last name.
  void Note(fxt::KernelObject object);

  // "" without a record of it. The idle task is "swapper".
  const std::string& thread(uint32_t tid) const {
    return tid == 0 ? OfIdle() : names_.thread_name(tid);
  }
  const std::string& process(uint32_t pid) const {
    return pid == 0 ? OfIdle() : names_.process_name(pid);
  }

 private:
  static const std::string& OfIdle();

  facts::TaskNames names_{kMaxBytes};
};

}  // namespace analyze
