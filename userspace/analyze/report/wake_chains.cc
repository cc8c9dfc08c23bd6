// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/report/wake_chains.h"

namespace analyze {

using facts::WaitKind;

bool WakeChains::Enter(facts::ThreadIndex index, fxt::Koid thread) {
  const uint32_t number = threads_.Add(thread);
  if (number == facts::KoidIndex::kNone) return false;
  if (number >= index_of_.size()) index_of_.resize(number + size_t{1});
  index_of_[number] = index;
  return true;
}

std::vector<WakeLink> WakeChains::ChainOf(const facts::Wait& wait) const {
  std::vector<WakeLink> chain;
  if (wait.kind == WaitKind::kPreempted) return chain;
  // A wait for a CPU begins with the wakeup, other waits end with it.
  uint64_t before = wait.kind == WaitKind::kWakeup ? wait.begin : wait.end;
  fxt::Koid thread = wait.thread;
  while (chain.size() < kLinks) {
    const uint32_t index = threads_.Find(thread);
    if (index == facts::KoidIndex::kNone) break;
    const WakeLink& link = wakeups_[index_of_[index]];
    // A later wakeup does not belong to the chain.
    if (link.time > before) break;
    chain.push_back(link);
    if (!link.waker || *link.waker == thread) break;
    before = link.time;
    thread = *link.waker;
  }
  return chain;
}

}  // namespace analyze
