// SPDX-License-Identifier: BSD-2-Clause
// The kernel's end of a ring, as bpf/ring.h fills it, in memory of the test's.
#pragma once

#include <cstdint>
#include <vector>

#include "capture/rings/slot_ring.h"
#include "fxt_record/event.h"
#include "fxt_record/slot_body.h"

namespace capture {

class SlotProducer {
 public:
  static constexpr unsigned kShift = 6;
  static constexpr uint64_t kSlots = uint64_t{1} << kShift;

  SlotProducer() : slots_(kSlots) {}
  SlotRing Ring() { return SlotRing(&control_, slots_.data(), kShift); }
  uint64_t Claim() { return control_.head++; }
  void Commit(uint64_t position, uint64_t time, uint64_t body, fxr_slot_type type = FXR_SLOT_SWITCH,
              uint64_t extra = 0) {
    fxr_slot& slot = slots_[position & (kSlots - 1)];
    slot.body = body;
    slot.commit = fxr_pack_commit(type, extra, time, (position >> kShift) + 1);
  }
  void Put(uint64_t time, uint64_t body, fxr_slot_type type = FXR_SLOT_SWITCH, uint64_t extra = 0) {
    Commit(Claim(), time, body, type, extra);
  }
  uint64_t room() const { return kSlots - (control_.head - control_.tail); }
  uint64_t tail() const { return control_.tail; }

 private:
  fxr_ring_control control_{};
  std::vector<fxr_slot> slots_;
};

}  // namespace capture
