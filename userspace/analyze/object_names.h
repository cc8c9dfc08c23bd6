// SPDX-License-Identifier: BSD-2-Clause
// Names of processes and threads, from the kernel object records of a trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "fxt/record.h"

namespace analyze {

// Names are kept as they are in the file: any bytes. The last record of a koid counts. Memory grows
// with the number of processes and threads, not with that of records.
class ObjectNames {
 public:
  struct Process {
    std::string name;
  };
  struct Thread {
    std::string name;
    std::optional<fxt::Koid> process;  // argument "process" of type koid
  };

  // Takes note of kernel objects; true if `record` is one of a process or thread.
  bool Note(const fxt::Record& record);

  // Null when no record named it.
  const Process* process(fxt::Koid koid) const;
  const Thread* thread(fxt::Koid koid) const;
  // "" when no record named it.
  const std::string& process_name(fxt::Koid koid) const;
  const std::string& thread_name(fxt::Koid koid) const;

  const std::unordered_map<fxt::Koid, Process>& processes() const { return processes_; }
  const std::unordered_map<fxt::Koid, Thread>& threads() const { return threads_; }

 private:
  std::unordered_map<fxt::Koid, Process> processes_;
  std::unordered_map<fxt::Koid, Thread> threads_;
};

}  // namespace analyze
