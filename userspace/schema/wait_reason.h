// SPDX-License-Identifier: BSD-2-Clause
// Names of the records that give the reason of a wait, shared by writers and readers.
#pragma once

#include <string_view>

namespace schema {

namespace event {
// Category fault: a major page fault, from when its thread leaves the CPU; with `address`.
inline constexpr std::string_view kMajorFault = "major";
}  // namespace event

namespace argument {
// Argument of a stack `off`: the kernel function that the thread sleeps in.
inline constexpr std::string_view kIn = "in";
inline constexpr std::string_view kAddress = "address";
// Arguments of block spans: the issuing thread (koid), bytes, first sector; at the end: merged into
// another request.
inline constexpr std::string_view kIssuer = "thread";
inline constexpr std::string_view kSector = "sector";
inline constexpr std::string_view kMerged = "merged";
}  // namespace argument

// True for functions that every sleeping thread is in; their callers show the reason.
inline bool IsSchedulerFunction(std::string_view name) {
  for (const std::string_view prefix :
       {"schedule", "__schedule", "io_schedule", "preempt_schedule", "__traceiter_", "bpf_"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

}  // namespace schema
