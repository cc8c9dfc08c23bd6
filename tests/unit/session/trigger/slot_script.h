// SPDX-License-Identifier: BSD-2-Clause
// Writes switches and wakeups into a ring in memory.
#pragma once

#include <cstdint>

#include "unit/capture/rings/slot_producer.h"

namespace session {

class SlotScript {
 public:
  capture::SlotRing Ring() { return producer_.Ring(); }
  void Switch(uint64_t time, uint32_t from, uint32_t to,
              fxr_task_state state = FXR_STATE_RUNNABLE) {
    producer_.Put(time, fxr_pack_switch({.prev_tid = from,
                                         .next_tid = to,
                                         .prev_priority = 120,
                                         .next_priority = 120,
                                         .prev_state = static_cast<fxr_u8>(state)})
                            .body);
  }
  void Waking(uint64_t time, uint32_t tid, bool is_new = false) {
    const fxr_payload payload = fxr_pack_waking({.woken_tid = tid,
                                                 .waker_tid = 0,
                                                 .priority = 120,
                                                 .target_cpu = 0,
                                                 .is_new = static_cast<fxr_u8>(is_new),
                                                 .via_net_rx = 0});
    producer_.Put(time, payload.body, FXR_SLOT_WAKING, payload.extra);
  }

 private:
  capture::SlotProducer producer_;
};

}  // namespace session
