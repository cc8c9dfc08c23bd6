// SPDX-License-Identifier: BSD-2-Clause
// What CPUs and threads did in a part of a trace, as far as a picture shows it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fxt/format.h"

namespace analyze {

// Times are ns of the trace's clock. A slot is what a column of the picture shows.
struct Drawing {
  static constexpr size_t kSlots = 1000;
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
    kUnknown,
  };
  static constexpr size_t kStates = 7;

  struct Run {
    uint64_t begin = 0;
    uint64_t end = 0;
    std::string name;
  };
  struct Span {
    uint64_t begin = 0;
    uint64_t end = 0;
    std::string name;
  };
  struct CpuLane {
    uint32_t cpu = 0;
    std::array<double, kSlots> busy{};  // ns: a slot may be shorter than one
    std::array<double, kSlots> idle{};
    std::vector<Run> runs;    // those of more than a slot
    std::vector<Span> spans;  // of interrupts
  };
  struct ThreadLane {
    fxt::Koid koid = 0;
    std::optional<uint64_t> tid;
    std::string thread;
    std::string process;
    std::vector<std::array<double, kStates>> slots;  // ns, kSlots of them
    std::vector<Span> spans;
  };
  struct Wake {
    uint64_t time = 0;
    std::optional<fxt::Koid> waker;
    fxt::Koid woken = 0;
  };
  struct Loss {
    uint64_t time = 0;
    std::optional<uint32_t> cpu;
    uint64_t count = 0;
  };

  uint64_t first = 0;  // of the trace
  uint64_t begin = 0;  // what is shown
  uint64_t end = 0;
  std::vector<CpuLane> cpus;        // by number
  std::vector<ThreadLane> threads;  // the busiest first
  size_t other_cpus = 0;            // that did something and have no lane
  size_t other_threads = 0;
  std::vector<Wake> wakes;  // in the order of the trace; those of threads with a lane
  std::vector<Loss> losses;
  bool is_whole = true;  // nothing was left out beyond those limits

  double slot_ns() const { return static_cast<double>(end - begin) / kSlots; }
};

}  // namespace analyze
