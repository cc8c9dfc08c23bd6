// SPDX-License-Identifier: BSD-2-Clause
// For tests that are handed some of a capture's events.
#pragma once

#include <cstdint>

#include "capture/event_handler.h"

namespace capture::testing {

// Takes nothing in; who is made of it takes in what it looks at (HandlerOf).
struct QuietHandler {
  void OnClockOffset(int64_t) {}
  void OnSnapshotTask(const fxr_task&) {}
  void OnStart(uint64_t) {}
  void OnSlot(uint32_t, uint64_t, uint64_t, uint64_t) {}
  void OnSideEvent(const fxr_side_header&) {}
  void OnGap(uint32_t, uint64_t) {}
  void OnBranchSample(const perf::BranchStackSample&) {}
  void OnMapping(uint64_t, const perf::MmapRecord&) {}
  void OnLoss(int32_t, uint64_t, uint32_t, uint64_t) {}
  void OnTick(uint64_t) {}
  void OnFinalTask(const fxr_task&) {}
};

}  // namespace capture::testing
