// SPDX-License-Identifier: BSD-2-Clause
// Reads the clocks that events are stamped with. In a time namespace (time_namespaces(7)) the
// clocks of this process differ.
#pragma once

#include <cstdint>
#include <functional>

#include "fxt_record/event.h"
#include "util/result.h"

namespace capture {

class KernelClock {
 public:
  // `program` is a descriptor of read_clocks (bpf/probe.bpf.c), which writes to `clocks`. Both
  // outlive this object.
  KernelClock(int program, const volatile fxr_clocks* clocks);
  // Uses `read` instead, for tests.
  explicit KernelClock(std::function<util::Result<fxr_clocks>()> read) : read_(std::move(read)) {}

  // Reads both clocks. On an error of the kernel the previous reading stays.
  util::Status Read();

  // CLOCK_MONOTONIC of the last reading, ns.
  uint64_t monotonic() const { return last_.after; }
  // CLOCK_BOOTTIME minus CLOCK_MONOTONIC, ns: the time of suspends. Its error is at most half of
  // uncertainty().
  int64_t boottime_offset() const;
  uint64_t uncertainty() const { return last_.after - last_.before; }

  // Reads `attempts` times and takes the most precise offset.
  util::Result<int64_t> MeasureBoottimeOffset(int attempts);

 private:
  std::function<util::Result<fxr_clocks>()> read_;
  fxr_clocks last_{};
};

}  // namespace capture
