// SPDX-License-Identifier: BSD-2-Clause
// Assigns koids to the tasks of several traces in one file.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "analyze/merge/trace_facts.h"
#include "fxt/format.h"

namespace analyze {

// Maps the koids of one trace to those of the merged one.
struct KoidMap {
  std::map<fxt::Koid, fxt::Koid> threads;    // only those that change
  std::map<fxt::Koid, fxt::Koid> processes;  // only those that change
  uint32_t cpu_shift = 0;                    // added to CPUs
  uint64_t same_threads = 0;                 // threads that an earlier trace has too

  // Tracks of CPUs move with `cpu_shift`.
  fxt::Koid Thread(fxt::Koid koid) const;
  fxt::Koid Process(fxt::Koid koid) const;
};

class KoidSpace {
 public:
  // Adds a trace. A thread equals one of an earlier trace if koid and process are equal and the
  // trace is not kept `apart`. A koid that is taken by another task is replaced by one with the
  // number in its low bits (schema/koid.h).
  KoidMap Add(const TraceFacts& facts, bool apart, uint32_t cpu_shift);

 private:
  template <typename Taken>
  static fxt::Koid Free(fxt::Koid koid, const Taken& taken, const std::set<fxt::Koid>& own);

  std::map<fxt::Koid, fxt::Koid> threads_;  // process by thread
  std::set<fxt::Koid> processes_;
};

}  // namespace analyze
