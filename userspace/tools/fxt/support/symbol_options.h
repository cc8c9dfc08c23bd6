// SPDX-License-Identifier: BSD-2-Clause
// The search paths for symbols of recorded addresses.
#pragma once

#include <string>
#include <vector>

#include "analyze/lbr/lbr_places.h"
#include "tools/common/command_line.h"

namespace tools {

struct SymbolOptions {
  std::string root;
  std::vector<std::string> debug_folders;
  std::string perf_cache;
  std::string kallsyms;

  // --root, --debug-dir, --perf-cache, --kallsyms
  void AddTo(const Command& command);

  // `enabled`: false looks at no file.
  analyze::LbrSymbolOptions Make(bool enabled) const;
};

}  // namespace tools
