// SPDX-License-Identifier: BSD-2-Clause
// What one file has been told of a thread.
#pragma once

#include <cstdint>

#include "fxt/detail/thread_slot.h"
#include "fxt/format.h"
#include "model/task_follower.h"
#include "schema/linux_state.h"

namespace translate {

// All that a usual event needs of a thread, in one cache line: the model's own need not be looked
// at. So it has the thread's numbers as well, as they were when it was announced.
struct alignas(64) FileThread {
  // No thread has this tid.
  static constexpr uint32_t kNotAnnounced = 0xffffffff;

  fxt::Koid koid = 0;
  fxt::Koid process_koid = 0;
  fxt::ThreadSlot slot{};  // that it was last written with
  // kNotAnnounced unless kernel objects with the present names are in the file, so that who knows
  // the tid has to ask for nothing else.
  uint32_t tid = kNotAnnounced;
  model::ThreadHandle handle = model::kNoHandle;  // its own
  int32_t on_cpu = -1;                            // the CPU on which the file's switches have it
  schema::EmittedStates emitted_states{};
  // The system call whose duration has begun in the file and not ended.
  bool in_syscall = false;
  bool syscall_is_compat = false;
  uint32_t syscall = 0;
  fxt::Koid syscall_koid = 0;  // the thread's when it entered the call: exec can change it

  bool announced() const { return tid != kNotAnnounced; }
};
static_assert(sizeof(FileThread) == 64);

}  // namespace translate
