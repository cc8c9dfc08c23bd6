// SPDX-License-Identifier: BSD-2-Clause
// The options that say what session begins.
#pragma once

#include <cstdint>
#include <string>

#include "control/protocol/requests.h"
#include "tools/common/command_line.h"
#include "util/result.h"

namespace tools {

struct SessionOptions {
  std::string circular;
  std::string oneshot;
  bool streaming = false;
  std::string categories;
  std::string output;

  void AddTo(const Command& command);
  // Whether a mode was asked for.
  bool any() const { return streaming || !circular.empty() || !oneshot.empty(); }
  // Without a mode: CIRCULAR.
  util::Result<control::TraceConfig> MakeConfig() const;
};

}  // namespace tools
