// SPDX-License-Identifier: BSD-2-Clause
// The answers to what the page asks (web/api.js).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "view/indexed_trace.h"
#include "view/lane_id.h"
#include "view/query_string.h"

namespace view {

// Times in answers are ns since the first time of the trace. Answers that find nothing are empty
// objects. All are made from the index, within milliseconds.
class Answers {
 public:
  // Must outlive it.
  explicit Answers(IndexedTrace& trace) : trace_(trace) {}

  // Data of the trace as a whole, and the progress of reading. JSON on one line.
  std::string Status() const;
  // CPUs, processes with their threads, tracks of spans and counters. JSON.
  std::string Lanes() const;
  // "from", "to", "pixel" (ns) and "lanes" (ids separated by commas): the items of each lane, in
  // this order (tile.h).
  std::string Tile(const QueryString& query) const;
  // "ids" of labels: their texts, as a JSON array.
  std::string Labels(const QueryString& query) const;
  // "lane" and "time", of spans "depth": what the lane shows there. JSON.
  std::string At(const QueryString& query) const;
  // "from" and "to": the threads that run or have spans or instants meanwhile, each with its CPU
  // time in ns, as JSON arrays of two.
  std::string Busy(const QueryString& query) const;
  // "text" and "from": lanes whose names have it, and spans and instants whose names or arguments
  // have it, from this time on. JSON.
  std::string Find(const QueryString& query) const;

  // The file and the begin of the trace, for other commands.
  std::string path() const { return trace_.path(); }
  // Since the first time -> of the file's clock.
  uint64_t Absolute(int64_t time) const;

  static constexpr size_t kMaxTileLanes = 512;
  static constexpr size_t kMaxThreads = 20000;
  static constexpr size_t kMaxHits = 2000;

 private:
  IndexedTrace& trace_;
};

}  // namespace view
