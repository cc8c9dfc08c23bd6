// SPDX-License-Identifier: BSD-2-Clause
// Names of processes and threads, from the kernel object records of a trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "fxt/reader_provider.h"
#include "fxt/record.h"

namespace facts {

// Names are kept as they are in the file: any bytes. The last record of a koid counts. Memory grows
// with the number of processes and threads, not with that of records, and no further than a limit:
// what would not fit keeps the name it has, or none.
class ObjectNames {
 public:
  static constexpr size_t kMaxBytes = size_t{128} << 20;

  ObjectNames() : ObjectNames(kMaxBytes) {}
  explicit ObjectNames(size_t max_bytes) { budget_.limit = max_bytes; }

  struct Process {
    std::string name;
  };
  struct Thread {
    std::string name;
    std::optional<fxt::Koid> process;  // argument "process" of type koid
  };

  // Takes note of kernel objects; true if `record` is one of a process or thread. An object of a
  // section that does not have the kernel's facts names only a thread or process without a name.
  bool Note(const fxt::Record& record, bool is_kernels = true);

  // Names that found no room.
  uint64_t left_out() const { return left_out_; }

  // Null when no record named it.
  const Process* process(fxt::Koid koid) const;
  const Thread* thread(fxt::Koid koid) const;
  // "" when no record named it.
  const std::string& process_name(fxt::Koid koid) const;
  const std::string& thread_name(fxt::Koid koid) const;

  const std::unordered_map<fxt::Koid, Process>& processes() const { return processes_; }
  const std::unordered_map<fxt::Koid, Thread>& threads() const { return threads_; }

 private:
  // The entry of `koid`, with room for the name; null when there is none left.
  template <typename Map>
  typename Map::mapped_type* Entry(Map& map, fxt::Koid koid, std::string_view name);

  uint64_t left_out_ = 0;
  fxt::TableBudget budget_;
  std::unordered_map<fxt::Koid, Process> processes_;
  std::unordered_map<fxt::Koid, Thread> threads_;
};

}  // namespace facts
