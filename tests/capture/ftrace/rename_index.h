// SPDX-License-Identifier: BSD-2-Clause
// Decides whether two names may belong to the same task.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/ftrace/switch_log.h"

namespace truth {

// Returns whether `recorded` may be the name in the file of a thread with this `comm`. A kernel
// thread has its full name, a worker the name of its work queue.
bool NamesAgree(const std::string& comm, const std::string& recorded);

// An index of renames by thread. It explains a name that is one rename ahead of ftrace. Refers to
// the log.
class RenameIndex {
 public:
  // A rename is complete within `takes_ns` after its event, unless its author leaves the CPU.
  RenameIndex(const SwitchLog& reference, uint64_t takes_ns);

  // Returns whether the last rename event of `tid` before the switch was from `comm` to `recorded`,
  // and its author had no time to complete it or sent the event after ftrace had read the name.
  bool InFlight(int32_t tid, uint64_t ftrace_ns, uint64_t recorded_ns, const std::string& comm,
                const std::string& recorded) const;

  // Returns whether the next rename of `tid` is from `comm` to `recorded`, and ftrace saw it only
  // when its author returned to a CPU. Since Linux 7.0 an author may be preempted between two
  // tracers.
  bool Delayed(int32_t tid, uint64_t time_ns, const std::string& comm,
               const std::string& recorded) const;

 private:
  // Returns whether the author of `rename` left its CPU soon after the event and before `time_ns`.
  bool LeftItsCpu(const Rename& rename, uint64_t time_ns) const;

  // Returns whether the author of `rename` got its CPU just before the event, at or after
  // `time_ns`.
  bool JustCame(const Rename& rename, uint64_t time_ns) const;

  const SwitchLog& log_;
  const uint64_t takes_ns_;
  std::unordered_map<int32_t, std::vector<const Rename*>> by_tid_;
};

}  // namespace truth
