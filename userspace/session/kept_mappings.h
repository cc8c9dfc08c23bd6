// SPDX-License-Identifier: BSD-2-Clause
// What processes executed from at the window's left edge, where addresses are recorded: the journal
// tells it, and what it told first has left the window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "fxt_record/event.h"
#include "model/identity_source.h"

namespace session {

class KeptMappings {
 public:
  // So many processes at most; beyond that all is forgotten, and those that are seen again are
  // asked again.
  static constexpr size_t kMaxProcesses = 8192;

  // An event of the journal, of any type.
  void Apply(const fxr_side_header& event);
  // Of a process; empty: nothing is known.
  std::vector<model::ExecutableMapping> Of(uint32_t tgid) const;

 private:
  std::unordered_map<uint32_t, std::vector<model::ExecutableMapping>> processes_;
};

}  // namespace session
