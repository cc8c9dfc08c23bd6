// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/report/worst_waits.h"

#include <algorithm>

namespace analyze {
namespace {

// The margin before and after a wait.
uint64_t MarginOf(const WorstWait& wait) { return wait.length() / 8; }
uint64_t FirstOf(const WorstWait& wait) {
  return wait.begin - std::min(wait.begin, MarginOf(wait));
}
uint64_t LastOf(const WorstWait& wait) { return wait.end + MarginOf(wait); }

bool IsAround(const WorstWait& wait, const Interval& interval) {
  return interval.begin < LastOf(wait) && interval.end > FirstOf(wait);
}

}  // namespace

// Adds an interval to the waits that are kept already.
void WorstWaits::Complete(const Interval& interval) {
  for (List* list : {&for_cpu_, &blocked_}) {
    for (WorstWait& wait : list->waits) {
      if (IsAround(wait, interval) && wait.around.size() < kIntervals) {
        wait.around.push_back(interval);
      }
    }
  }
}

void WorstWaits::Insert(List& list, const facts::Wait& wait, uint32_t cpu) {
  WorstWait worst;
  worst.begin = wait.begin;
  worst.end = wait.end;
  worst.thread = wait.thread;
  worst.cpu = cpu;
  worst.kind = wait.kind;
  LookBack(worst);
  worst.chain = chains_.ChainOf(wait);
  open_until_ = std::max(open_until_, LastOf(worst));
  const auto at = std::upper_bound(
      list.waits.begin(), list.waits.end(), worst,
      [](const WorstWait& a, const WorstWait& b) { return a.length() > b.length(); });
  list.waits.insert(at, std::move(worst));
  if (list.waits.size() > count_) list.waits.pop_back();
  if (list.waits.size() == count_) list.none_up_to = list.waits.back().length();
}

void WorstWaits::LookBack(WorstWait& worst) const {
  for (uint32_t cpu = 0; cpu < lanes_.size(); ++cpu) {
    const Lane& lane = lanes_[cpu];
    const uint64_t kept = std::min<uint64_t>(lane.count, kRecent);
    const size_t share = kIntervals / 2 / lanes_.size();
    std::vector<Interval> found;
    for (uint64_t i = 1; i <= kept; ++i) {
      const Interval& interval = lane.recent[(lane.count - i) % kRecent];
      if (interval.end <= FirstOf(worst)) break;
      if (!IsAround(worst, interval)) continue;
      if (found.size() <= share) found.push_back(interval);
      if (cpu != worst.cpu || interval.what != Interval::What::kRun) continue;
      const uint64_t begin = std::max(interval.begin, worst.begin);
      const uint64_t end = std::min(interval.end, worst.end);
      if (begin >= end) continue;
      const auto held = std::find_if(
          worst.holders.begin(), worst.holders.end(),
          [&](const WorstWait::Holder& holder) { return holder.thread == interval.thread; });
      if (held != worst.holders.end()) {
        held->ns += end - begin;
      } else {
        worst.holders.push_back({interval.thread, end - begin});
      }
    }
    worst.around.insert(worst.around.end(), found.rbegin(), found.rend());
  }
  std::stable_sort(
      worst.holders.begin(), worst.holders.end(),
      [](const WorstWait::Holder& a, const WorstWait::Holder& b) { return a.ns > b.ns; });
  if (worst.holders.size() > kHolders) worst.holders.resize(kHolders);
}

}  // namespace analyze
