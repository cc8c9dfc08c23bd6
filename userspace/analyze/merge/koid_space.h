// SPDX-License-Identifier: BSD-2-Clause
// The koids of several traces in one.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "analyze/merge/trace_facts.h"
#include "fxt/format.h"

namespace analyze {

// What the koids of one trace are in the merged one.
struct KoidMap {
  std::unordered_map<fxt::Koid, fxt::Koid> threads;    // those that change
  std::unordered_map<fxt::Koid, fxt::Koid> processes;  // those that change
  uint32_t cpu_shift = 0;                              // added to CPUs
  uint64_t same_threads = 0;                           // threads that an earlier trace has, too

  // Tracks of CPUs go with their CPU.
  fxt::Koid Thread(fxt::Koid koid) const;
  fxt::Koid Process(fxt::Koid koid) const;
};

class KoidSpace {
 public:
  // Makes room for a trace. A thread is that of an earlier trace if it has the koid of it and is of
  // the same process; never if the trace is to be kept `apart`. Of those that have somebody else's
  // koid each gets one that keeps the number in its low bits (schema/koid.h).
  KoidMap Add(const TraceFacts& facts, bool apart, uint32_t cpu_shift);

 private:
  template <typename Taken>
  static fxt::Koid Free(fxt::Koid koid, const Taken& taken,
                        const std::unordered_set<fxt::Koid>& own);

  std::unordered_map<fxt::Koid, fxt::Koid> threads_;  // process by thread
  std::unordered_set<fxt::Koid> processes_;
};

}  // namespace analyze
