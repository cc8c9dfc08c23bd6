// SPDX-License-Identifier: BSD-2-Clause
// The options of sources that are recorded only if they are named: -e, --filter, --counters,
// --uprobe, --usdt, --kprobe, --requests, --request-names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "request/trace_config.h"
#include "tools/common/command_line.h"
#include "tools/record/options/record_options.h"
#include "util/result.h"

namespace tools {

// Call Add() before the parsing and Take() after it. Outlives the parsing.
class SourceWords {
 public:
  SourceWords() = default;
  SourceWords(const SourceWords&) = delete;
  SourceWords& operator=(const SourceWords&) = delete;

  void Add(const Command& command);
  // True if one of the options was given.
  bool any() const { return !problem_.empty() || has_counters_ || sources_.any() || requests_; }
  // True if category `request` is asked for.
  bool wants_requests() const { return requests_ || !sources_.request_names.empty(); }
  // Sets options.sources and calls ApplySources(). An error for a filter without its -e and for an
  // unknown counter.
  util::Status Take(RecordOptions& options) const;

 private:
  void TakeEvent(const std::string& pattern);
  void TakeCounters(const std::string& list);
  void TakeRequestNames(const std::string& list);
  // The filter belongs to the -e before it.
  void TakeFilter(const std::string& filter);

  request::Sources sources_;
  bool requests_ = false;
  bool has_counters_ = false;
  std::string counters_;  // all lists of --counters, joined by commas
  std::string problem_;
  std::string hint_;  // for the problem; empty: that of -e and --filter
};

// Selects the categories probe, tracepoint and counter if `options` has such sources, and deselects
// them otherwise. An error if one of them was named and has no source.
util::Status ApplySources(RecordOptions& options);

}  // namespace tools
