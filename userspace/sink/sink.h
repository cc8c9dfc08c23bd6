// SPDX-License-Identifier: BSD-2-Clause
// Where a trace goes.
#pragma once

#include <cstdint>

#include "fxt/byte_sink.h"
#include "util/result.h"

namespace sink {

// Takes whole records and puts them somewhere. The first error is for good: Write() and Flush() say
// false from then on, and Close() returns it. Used from one thread.
class Sink : public fxt::ByteSink {
 public:
  // Makes what was taken so far readable where it goes, if the recorder is killed afterwards.
  // A recorder calls it at least every 500 ms.
  virtual bool Flush() = 0;

  // Flushes, finishes the format of the output and gives it up. The answer is the first error of
  // all, or Ok; a second call gives the same. What was not closed is closed at destruction, where
  // nobody hears of errors.
  virtual util::Status Close() = 0;

  // How full the queue before this sink is, from 0 to 1 (and beyond, for a moment). One that can do
  // with less work does so as this grows.
  virtual void SetPressure(double queue_fill) { static_cast<void>(queue_fill); }

  // Bytes of records taken by Write().
  virtual uint64_t bytes_accepted() const = 0;
  // Bytes that the output has by now, compressed where the sink compresses.
  virtual uint64_t bytes_on_disk() const = 0;
};

}  // namespace sink
