// SPDX-License-Identifier: BSD-2-Clause
// The interface of trace outputs.
#pragma once

#include <cstdint>

#include "fxt/byte_sink.h"
#include "util/result.h"

namespace sink {

// Accepts whole records. The first error is final: Write() and Flush() return false from then on,
// and Close() returns the error. One thread uses a sink.
class Sink : public fxt::ByteSink {
 public:
  // Makes everything that was written readable even if the recorder is killed afterwards. A
  // recorder calls it at least every 500 ms.
  virtual bool Flush() = 0;

  // Flushes, ends the format of the output and closes it. Returns the first error of all calls; a
  // second call returns the same. The destructor closes an open sink and drops errors.
  virtual util::Status Close() = 0;

  // Reports how full the queue before this sink is: 0 to 1, briefly more. A compressor lowers its
  // level as it grows.
  virtual void SetPressure(double queue_fill) { static_cast<void>(queue_fill); }

  // Bytes of records that Write() accepted.
  virtual uint64_t bytes_accepted() const = 0;
  // Bytes in the output, after compression.
  virtual uint64_t bytes_on_disk() const = 0;
};

}  // namespace sink
