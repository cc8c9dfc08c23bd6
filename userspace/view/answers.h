// SPDX-License-Identifier: BSD-2-Clause
// Answers the requests of the page (web/api.js) from the index.
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

// Times in answers are ns since the first time of the trace. An answer without a result is an empty
// object. All are computed from the index within milliseconds.
class Answers {
 public:
  // `trace` must outlive this object.
  explicit Answers(IndexedTrace& trace) : trace_(trace) {}

  // Properties of the trace, and the progress of reading. JSON on one line.
  std::string Status() const;
  // CPUs, processes with their threads, tracks of spans and counters. JSON.
  std::string Lanes() const;
  // Parameters "from", "to", "pixel" (ns) and "lanes" (ids separated by commas). Returns the items
  // of the lanes in this order (tile.h).
  std::string Tile(const QueryString& query) const;
  // Parameter "ids": numbers of labels. Returns their texts as a JSON array.
  std::string Labels(const QueryString& query) const;
  // Parameters "lane", "time" and, for spans, "depth". Returns the item of the lane at this time.
  // JSON.
  std::string At(const QueryString& query) const;
  // Parameters "from" and "to". Returns the threads that run or have spans or instants in this
  // range, as JSON pairs of thread number and CPU time in ns.
  std::string Busy(const QueryString& query) const;
  // Parameters "text" and "from". Returns lanes whose names contain the text, and spans and
  // instants from this time on whose names or arguments contain it. JSON.
  std::string Find(const QueryString& query) const;

  // The file of the trace, for other commands.
  std::string path() const { return trace_.path(); }
  // Converts a time since the first time of the trace into one of the file's clock.
  uint64_t Absolute(int64_t time) const;

  static constexpr size_t kMaxTileLanes = 512;
  static constexpr size_t kMaxThreads = 20000;
  static constexpr size_t kMaxHits = 2000;

 private:
  IndexedTrace& trace_;
};

}  // namespace view
