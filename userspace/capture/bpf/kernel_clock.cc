// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/kernel_clock.h"

#include <bpf/bpf.h>
#include <fmt/format.h>

#include <cstring>

namespace capture {

KernelClock::KernelClock(int program, const volatile fxr_clocks* clocks)
    : read_([program, clocks]() -> util::Result<fxr_clocks> {
        bpf_test_run_opts run{};
        run.sz = sizeof(run);
        if (const int error = bpf_prog_test_run_opts(program, &run)) {
          return util::Error{
              fmt::format("cannot read the clocks of the kernel: {}", strerror(-error)), ""};
        }
        return fxr_clocks{clocks->before, clocks->boottime, clocks->after};
      }) {}

util::Status KernelClock::Read() {
  const auto clocks = read_();
  if (!clocks) return clocks.error();
  last_ = *clocks;
  return util::Ok();
}

int64_t KernelClock::boottime_offset() const {
  return static_cast<int64_t>(last_.boottime - (last_.before + uncertainty() / 2));
}

util::Result<int64_t> KernelClock::MeasureBoottimeOffset(int attempts) {
  int64_t best_offset = 0;
  uint64_t best = UINT64_MAX;
  for (int i = 0; i < attempts; ++i) {
    if (util::Status status = Read(); !status) return status.error();
    if (uncertainty() >= best) continue;
    best = uncertainty();
    best_offset = boottime_offset();
  }
  return best_offset;
}

}  // namespace capture
