// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/thread_context_map.h"

#include <bpf/bpf.h>

namespace capture {

bool ThreadContextMap::Set(uint32_t tgid, const fxr_thread_variable& variable) {
  if (bpf_map_update_elem(map_, &tgid, &variable, BPF_ANY) != 0) return false;
  tgids_.insert(tgid);
  PublishCount();
  return true;
}

void ThreadContextMap::Remove(uint32_t tgid) {
  if (tgids_.erase(tgid) == 0) return;
  bpf_map_delete_elem(map_, &tgid);
  PublishCount();
}

void ThreadContextMap::PublishCount() {
  __atomic_store_n(processes_, static_cast<fxr_u32>(tgids_.size()), __ATOMIC_RELAXED);
}

}  // namespace capture
