// SPDX-License-Identifier: BSD-2-Clause
// A handler that keeps the facts of a timeline as text, and feeds it by short calls.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "facts/timeline/share.h"
#include "facts/timeline/timeline.h"
#include "schema/koid.h"
#include "schema/linux_state.h"

namespace facts::testing {

// One line per fact:
//   run cpu0 t7 10-20 S            ... ended by leaving in S
//   wait t7 sleeping 20-30         ... the share it counts in
//   idle cpu0 0-10, gap cpu0 10-20 lost
// with "<edge", "<loss", "<unseen" for what begins, "edge>" and so on for what ends it.
class FactList {
 public:
  void OnRun(const Run& run) {
    Add(fmt::format("run cpu{} t{} {}-{}{}{}", run.cpu, run.thread, run.begin, run.end,
                    Bounds(run.began, run.ended),
                    run.end_state ? " " + std::string(schema::StateLetters(*run.end_state)) : ""));
  }
  void OnWait(const Wait& wait) {
    static constexpr const char* kNames[] = {"running",   "woken",   "preempted",
                                             "sleeping",  "blocked", "stopped",
                                             "throttled", "unknown", "absent"};
    Add(fmt::format("wait t{} {} {}-{}", wait.thread, kNames[static_cast<size_t>(ShareOf(wait))],
                    wait.begin, wait.end) +
        (wait.waker ? fmt::format(" by t{}", *wait.waker) : "") +
        (wait.via == WakeVia::kNetRx ? " net_rx" : "") +
        (wait.limit != kNoLimit ? fmt::format(" limit{}", wait.limit) : ""));
  }
  void OnIdle(const Idle& idle) {
    Add(fmt::format("idle cpu{} {}-{}{}", idle.cpu, idle.begin, idle.end,
                    Bounds(idle.began, idle.ended)));
  }
  void OnGap(const Gap& gap) {
    static constexpr const char* kNames[] = {"lost", "unseen", "filtered"};
    Add(fmt::format("gap cpu{} {}-{} {}", gap.cpu, gap.begin, gap.end,
                    kNames[static_cast<size_t>(gap.why)]));
  }
  // The facts since the last call.
  std::vector<std::string> Take() { return std::exchange(lines_, {}); }

 private:
  static std::string Bounds(Bound began, Bound ended) {
    static constexpr const char* kNames[] = {"", "edge", "loss", "unseen", "no wakeup"};
    std::string text;
    if (began != Bound::kSeen) text += fmt::format(" <{}", kNames[static_cast<size_t>(began)]);
    if (ended != Bound::kSeen) text += fmt::format(" {}>", kNames[static_cast<size_t>(ended)]);
    return text;
  }
  void Add(std::string line) { lines_.push_back(std::move(line)); }

  std::vector<std::string> lines_;
};

// Thread 0 is the idle thread.
inline SwitchSide Side(fxt::Koid thread) {
  const bool idle = thread == 0;
  return {.thread = thread, .process = idle ? 0 : 1, .priority = idle ? 0 : 120, .idle = idle};
}
// The stand-in for lost events.
inline SwitchSide Lost(uint32_t cpu) {
  return {.thread = schema::LostKoid(cpu),
          .process = schema::kLostProcessKoid,
          .priority = 0,
          .lost = true};
}

inline constexpr auto kRunnable = fxt::ThreadState::kNew;
inline constexpr auto kAsleep = fxt::ThreadState::kBlocked;
inline constexpr auto kHalted = fxt::ThreadState::kSuspended;
inline constexpr auto kDead = fxt::ThreadState::kDead;

}  // namespace facts::testing
