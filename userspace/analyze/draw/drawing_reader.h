// SPDX-License-Identifier: BSD-2-Clause
// Reads a trace into a Drawing in two passes. The first pass chooses the threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/draw/drawing.h"
#include "fxt/byte_source.h"
#include "tables/rows/text_pool.h"
#include "tables/scan.h"
#include "util/result.h"

namespace analyze {

struct DrawOptions {
  // ns of the trace's clock; below `to`.
  uint64_t from = 0;
  uint64_t to = 0;
  uint64_t first = 0;       // zero of the times shown
  std::set<uint32_t> cpus;  // empty: all
  size_t max_threads = 16;
  size_t slots = Drawing::kSlots;
  // Whether a thread may have a lane; null: all.
  std::function<bool(fxt::Koid thread, std::string_view name)> wants_thread;
  std::vector<Drawing::PathPart> path{};  // drawn over the lanes of its threads
  // Called with the position in the stream; may be null.
  std::function<void(uint64_t)> progress;
};

class DrawingReader {
 public:
  explicit DrawingReader(const DrawOptions& options);

  // Choose() is called first, then Read(), with the same trace from its beginning. Errors: the
  // trace cannot be read to the end of the window.
  util::Status Choose(fxt::ByteSource& source);
  util::Status Read(fxt::ByteSource& source);

  const Drawing& drawing() const { return drawing_; }

 private:
  using Interval = Drawing::Interval;
  // The part of an interval in the window; empty outside of it.
  Interval Clipped(uint64_t begin, uint64_t length) const;
  util::Status ReadAll(tables::Scan& scan, const std::function<void()>& take);
  Drawing::CpuLane* CpuAt(uint32_t cpu);
  Drawing::ThreadLane* ThreadAt(fxt::Koid koid);

  void AddSlices(const tables::RowBatch& rows);
  void AddIdle(const tables::RowBatch& rows);
  void AddWaits(const tables::RowBatch& rows);
  void AddWakeups(const tables::RowBatch& rows);
  void AddSpans(const tables::RowBatch& rows);
  void AddLosses(const tables::RowBatch& rows);

  DrawOptions options_;
  Drawing drawing_;
  std::set<uint32_t> without_lane_;  // CPUs
  tables::TextPool texts_;
};

}  // namespace analyze
