// SPDX-License-Identifier: BSD-2-Clause
// Keeps the executable mappings of each process at the left edge of the window, from journal events
// older than the window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "fxt_record/event.h"
#include "model/identity_source.h"
#include "perf/record/record_decoder.h"

namespace session {

class KeptMappings {
 public:
  // At this limit the cache is cleared. Later events report the mappings of active processes again.
  static constexpr size_t kMaxProcesses = 8192;

  // Applies an event of the journal of any type.
  void Apply(const fxr_side_header& event);
  // Empty if the process is unknown.
  std::vector<model::ExecutableMapping> Of(uint32_t tgid) const;

 private:
  void OnMapping(const perf::MmapRecord& record);

  std::unordered_map<uint32_t, std::vector<model::ExecutableMapping>> processes_;
};

}  // namespace session
