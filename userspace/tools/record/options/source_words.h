// SPDX-License-Identifier: BSD-2-Clause
// The options of what is not recorded unless it is named: -e, --filter, --counters, --uprobe,
// --usdt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "request/trace_config.h"
#include "tools/common/command_line.h"
#include "tools/record/options/record_options.h"
#include "util/result.h"

namespace tools {

// Add before parsing, Take after it; it outlives both.
class SourceWords {
 public:
  SourceWords() = default;
  SourceWords(const SourceWords&) = delete;
  SourceWords& operator=(const SourceWords&) = delete;

  void Add(const Command& command);
  // Whether any was given.
  bool any() const { return !problem_.empty() || has_counters_ || sources_.any(); }
  // What they ask for, into `options`, as ApplySources has it there. Error: a filter without its
  // -e, an unknown counter, and those of ApplySources.
  util::Status Take(RecordOptions& options) const;

 private:
  void TakeEvent(const std::string& pattern);
  void TakeCounters(const std::string& list);
  // It belongs to the -e before it.
  void TakeFilter(const std::string& filter);

  request::Sources sources_;
  bool has_counters_ = false;
  std::string counters_;  // all lists of --counters, joined by commas
  std::string problem_;
};

// The categories of what `options` names (probe, tracepoint, counter) are among its categories
// then, and only where something of them is named. Error: one that was asked for by its own name
// without anything of it.
util::Status ApplySources(RecordOptions& options);

}  // namespace tools
