// SPDX-License-Identifier: BSD-2-Clause
// The processes whose threads publish trace contexts, for the BPF programs; see
// include/fxt_record/thread_context.h.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "fxt_record/thread_context.h"

namespace capture {

class ThreadContextMap {
 public:
  // No map.
  ThreadContextMap() = default;
  // The descriptor must stay open. `processes`: the programs' variable.
  ThreadContextMap(int map, fxr_u32* processes) : map_(map), processes_(processes) {}

  bool empty() const { return map_ < 0; }
  // Returns false if there are too many processes.
  bool Set(uint32_t tgid, const fxr_thread_variable& variable);
  void Remove(uint32_t tgid);

 private:
  void PublishCount();

  int map_ = -1;
  fxr_u32* processes_ = nullptr;
  std::unordered_set<uint32_t> tgids_;  // in the map
};

}  // namespace capture
