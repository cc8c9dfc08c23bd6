// SPDX-License-Identifier: BSD-2-Clause
// The options -e, --filter and --counters.
#pragma once

#include <string>
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

  void Add(const Program& program);
  // What they ask for, into `options`; their categories are among options.categories where
  // something of them was asked for, and only there. Error: a filter without its -e, an unknown
  // counter, or a category that was asked for by name without anything of it.
  util::Status Take(const Program& program, RecordOptions& options);

 private:
  void TakeEvent(const std::string& pattern);
  // It belongs to the -e before it.
  void TakeFilter(const std::string& filter);

  std::vector<capture::TracepointRequest> requests_;
  std::string problem_;
  std::string counters_;
};

}  // namespace tools
