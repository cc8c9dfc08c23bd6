// SPDX-License-Identifier: BSD-2-Clause
// The options of `start` and `serve` that describe a session.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "request/trace_config.h"
#include "tools/common/command_line.h"
#include "tools/record/driver/snapshot_files.h"
#include "tools/record/options/source_words.h"
#include "util/result.h"

namespace tools {

struct SessionOptions {
  std::string circular;
  std::string oneshot;
  bool streaming = false;
  std::string categories;
  std::string output;
  std::vector<std::string> triggers;
  std::string before;
  std::string after;
  request::TaskFilter tasks;
  SourceWords sources;

  void AddTo(const Command& command);
  // True if a mode was given.
  bool any() const { return streaming || !circular.empty() || !oneshot.empty(); }
  // Without a mode: CIRCULAR.
  util::Result<request::TraceConfig> MakeConfig() const;
  util::Result<TriggerOptions> MakeTriggers() const;
  // The arguments of `serve` for these triggers, after MakeTriggers() has checked them.
  std::vector<std::string> TriggerArguments() const;
};

}  // namespace tools
