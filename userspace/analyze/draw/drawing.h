// SPDX-License-Identifier: BSD-2-Clause
// The activity of CPUs and threads in an interval of a trace, at the resolution of a picture.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fxt/format.h"

namespace analyze {

// Times are ns on the clock of the trace. A slot is a column of the picture.
struct Drawing {
  static constexpr size_t kSlots = 1000;  // unless asked for otherwise
  static constexpr size_t kMaxCpus = 64;
  static constexpr size_t kMaxSpans = 4000;  // of a lane
  static constexpr size_t kMaxWakes = 20'000;

  enum class State : uint8_t {
    kRunning,
    kWakeup,     // waits for a CPU since it was woken
    kPreempted,  // waits for a CPU since it left one runnable
    kSleeping,
    kBlocked,
    kStopped,
    kThrottled,  // runnable, and its cgroup's quota is used up
    kUnknown,
  };
  static constexpr size_t kStates = 8;

  // Runs of threads that the picture is about have colours of their own.
  enum class Mark : uint8_t { kNone, kSelf, kWaker };
  struct Run {
    uint64_t begin = 0;
    uint64_t end = 0;
    std::string name;
    Mark mark = Mark::kNone;
  };
  struct Interval {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  struct Span {
    uint64_t begin = 0;
    uint64_t end = 0;
    std::string name;
  };
  struct CpuLane {
    uint32_t cpu = 0;
    // By slot, in ns: a slot may be shorter than one.
    std::vector<double> busy = std::vector<double>(kSlots);
    std::vector<double> idle = std::vector<double>(kSlots);
    std::vector<Run> runs;    // those of more than a slot
    std::vector<Span> spans;  // of interrupts
  };
  struct ThreadLane {
    fxt::Koid koid = 0;
    std::optional<uint64_t> tid;
    std::string thread;
    std::string process;
    std::vector<std::array<double, kStates>> slots;  // ns, by slot
    std::vector<Span> spans;
  };
  struct Wake {
    uint64_t time = 0;
    std::optional<fxt::Koid> waker;
    fxt::Koid woken = 0;
  };
  // A part of a critical path, on the lane of its thread.
  struct PathPart {
    uint64_t begin = 0;
    uint64_t end = 0;
    fxt::Koid thread = 0;
    std::string what;
  };
  struct Loss {
    uint64_t time = 0;
    std::optional<uint32_t> cpu;
    uint64_t count = 0;
  };

  size_t slots = kSlots;
  uint64_t first = 0;  // of the trace
  uint64_t begin = 0;  // of the picture
  uint64_t end = 0;
  std::optional<Interval> focus;    // highlighted
  std::vector<CpuLane> cpus;        // by number
  std::vector<ThreadLane> threads;  // the busiest first
  size_t other_cpus = 0;            // with activity, but without a lane
  size_t other_threads = 0;
  std::vector<Wake> wakes;     // in the order of the trace; those of threads with a lane
  std::vector<PathPart> path;  // in order of time
  std::vector<Loss> losses;
  bool is_whole = true;  // no limit left anything out

  double slot_ns() const { return static_cast<double>(end - begin) / static_cast<double>(slots); }

  // Calls `each(slot, ns)` for the slots of an interval within begin and end.
  template <typename Each>
  void EachSlot(const Interval& interval, Each&& each) const {
    if (interval.begin >= interval.end) return;
    // In units of 1/slots ns, of which a slot has as many as the picture has nanoseconds.
    using Parts = unsigned __int128;
    const Parts width = end - begin;
    const auto parts_of = [&](uint64_t time) { return Parts{time - begin} * slots; };
    const Parts last = parts_of(interval.end);
    for (Parts at = parts_of(interval.begin); at < last;) {
      const auto slot = static_cast<size_t>(at / width);
      const Parts edge = std::min(last, (slot + 1) * width);
      each(slot, static_cast<double>(edge - at) / static_cast<double>(slots));
      at = edge;
    }
  }
};

}  // namespace analyze
