// SPDX-License-Identifier: BSD-2-Clause
// The options of what is not recorded unless it is named: -e, --filter, --counters, --uprobe,
// --usdt.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capture/tracepoint_request.h"
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
  bool any() const {
    return !problem_.empty() || !requests_.empty() || counters_ || !uprobes_.empty() ||
           !usdts_.empty();
  }
  // What they ask for, into `options`, as ApplySources has it there. Error: a filter without its
  // -e, an unknown counter, and those of ApplySources.
  util::Status Take(RecordOptions& options) const;

 private:
  void TakeEvent(const std::string& pattern);
  void TakeCounters(const std::string& list);
  // It belongs to the -e before it.
  void TakeFilter(const std::string& filter);

  std::vector<capture::TracepointRequest> requests_;
  std::string problem_;
  std::optional<std::string> counters_;  // lists, joined by commas
  std::vector<std::string> uprobes_;
  std::vector<std::string> usdts_;
};

// The categories of what `options` names (probe, tracepoint, counter) are among its categories
// then, and only where something of them is named. Error: one that was asked for by its own name
// without anything of it.
util::Status ApplySources(RecordOptions& options);

}  // namespace tools
