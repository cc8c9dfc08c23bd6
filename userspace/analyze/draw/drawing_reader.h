// SPDX-License-Identifier: BSD-2-Clause
// From a trace to a Drawing, in two passes: the first one chooses the threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

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
  uint64_t first = 0;       // what times are counted from
  std::set<uint32_t> cpus;  // empty: all
  size_t max_threads = 16;
  // Which threads may have a lane; null for all.
  std::function<bool(fxt::Koid thread, std::string_view name)> wants_thread;
  // Asked with the position in the stream; may be null.
  std::function<void(uint64_t)> progress;
};

class DrawingReader {
 public:
  explicit DrawingReader(const DrawOptions& options);

  // First this, then Read, of the same trace from its beginning. Errors: it cannot be read to the
  // end of the window.
  util::Status Choose(fxt::ByteSource& source);
  util::Status Read(fxt::ByteSource& source);

  const Drawing& drawing() const { return drawing_; }

 private:
  struct Interval {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  // The part of it in the window; empty where there is none.
  Interval Clipped(uint64_t begin, uint64_t length) const;
  // Calls `each(slot, ns)` for the slots that it touches.
  template <typename Each>
  void EachSlot(const Interval& interval, Each&& each) const;
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
