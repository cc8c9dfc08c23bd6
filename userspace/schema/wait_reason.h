// SPDX-License-Identifier: BSD-2-Clause
// What in our files says why a thread sleeps, for those who write it and those who read it.
#pragma once

#include <string_view>

namespace schema {

namespace event {
// Category fault: a page fault from when its thread leaves the CPU, with `address`.
inline constexpr std::string_view kMajorFault = "major";
}  // namespace event

namespace argument {
// Of a stack `off`: the kernel's function that the thread sleeps in.
inline constexpr std::string_view kIn = "in";
inline constexpr std::string_view kAddress = "address";
// Of block's spans: who issued it (koid); bytes; its first sector; at the end: it went on as a part
// of another one.
inline constexpr std::string_view kIssuer = "thread";
inline constexpr std::string_view kSector = "sector";
inline constexpr std::string_view kMerged = "merged";
}  // namespace argument

// Functions that every thread that sleeps is in: what they were called from says more.
inline bool IsSchedulerFunction(std::string_view name) {
  for (const std::string_view prefix :
       {"schedule", "__schedule", "io_schedule", "preempt_schedule", "__traceiter_", "bpf_"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

}  // namespace schema
