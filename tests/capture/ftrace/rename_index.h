// SPDX-License-Identifier: BSD-2-Clause
// Whether two names may be the same task's.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/ftrace/switch_log.h"

namespace truth {

// Whether a thread that the kernel calls `comm` may be called `recorded` in the file: a kernel
// thread by its full name, a worker with what it works on.
bool NamesAgree(const std::string& comm, const std::string& recorded);

// Renames by thread, to explain a name that is one step ahead of the kernel's. Refers to the log.
class RenameIndex {
 public:
  // An announced rename is done within `takes_ns`, unless whoever does it is off its CPU.
  RenameIndex(const SwitchLog& reference, uint64_t takes_ns);

  // Whether the last rename of `tid` announced by the time the switch was recorded was from `comm`
  // to `recorded`, and its author had not had the time to do it, or announced it after ftrace had
  // looked.
  bool InFlight(int32_t tid, uint64_t ftrace_ns, uint64_t recorded_ns, const std::string& comm,
                const std::string& recorded) const;

  // Whether the next rename of `tid` is the one from `comm` to `recorded`, and ftrace was told of
  // it only when its author came back to a CPU: since 7.0 an author may be preempted between two
  // tracers.
  bool Delayed(int32_t tid, uint64_t time_ns, const std::string& comm,
               const std::string& recorded) const;

 private:
  // Whether the author of `rename` was switched out soon after announcing it, and before `time_ns`.
  bool LeftItsCpu(const Rename& rename, uint64_t time_ns) const;

  // Whether the author of `rename` came to its CPU just before, and at or after `time_ns`.
  bool JustCame(const Rename& rename, uint64_t time_ns) const;

  const SwitchLog& log_;
  const uint64_t takes_ns_;
  std::unordered_map<int32_t, std::vector<const Rename*>> by_tid_;
};

}  // namespace truth
