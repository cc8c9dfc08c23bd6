// SPDX-License-Identifier: BSD-2-Clause
// The options that say whose events are recorded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/common/command_line.h"

namespace tools {

// Together they are a union; all empty: everybody's.
struct TaskChoice {
  std::vector<uint32_t> tids;  // of the recorder's process namespace, as tgids
  std::vector<uint32_t> tgids;
  std::vector<std::string> comms;
  std::vector<std::string> cgroups;
  bool follow = false;  // also whom those by id or name make from the start on

  // Not everybody's.
  bool any() const { return !tids.empty() || !tgids.empty() || !comms.empty() || !cgroups.empty(); }
  void AddTo(const Command& command);
};

}  // namespace tools
