// SPDX-License-Identifier: BSD-2-Clause
// The clocks that events are stamped with, read where the programs read them: in a time namespace
// (time_namespaces(7)) those of this process are others.
#pragma once

#include <cstdint>
#include <functional>

#include "fxt_record/event.h"
#include "util/result.h"

namespace capture {

class KernelClock {
 public:
  // `program` is a descriptor of read_clocks (bpf/probe.bpf.c), which writes to `clocks`. Both
  // outlive this.
  KernelClock(int program, const volatile fxr_clocks* clocks);
  // Reads by `read` instead, for tests.
  explicit KernelClock(std::function<util::Result<fxr_clocks>()> read) : read_(std::move(read)) {}

  // Reads both clocks once more; an error when the kernel does not run the program, and what was
  // read before stays.
  util::Status Read();

  // ns of CLOCK_MONOTONIC at the last reading.
  uint64_t monotonic() const { return last_.after; }
  // CLOCK_BOOTTIME minus CLOCK_MONOTONIC, ns: the time the machine was suspended. Off by at most
  // half of what uncertainty() says.
  int64_t boottime_offset() const;
  uint64_t uncertainty() const { return last_.after - last_.before; }

  // Reads `attempts` times, and takes the offset of the best.
  util::Result<int64_t> MeasureBoottimeOffset(int attempts);

 private:
  std::function<util::Result<fxr_clocks>()> read_;
  fxr_clocks last_{};
};

}  // namespace capture
