// SPDX-License-Identifier: BSD-2-Clause
// Traces in which anything may happen.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "unit/measure/trace_script.h"

namespace measure::testing {

// Anything in order of time: threads that run twice, lost and unseen switches, forks, renames.
// `order`: nothing is lost, and no thread runs on two CPUs.
inline void FillAtRandom(TraceScript& trace, uint64_t seed, bool renames, bool order = false) {
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t limit) { return random() % limit; };
  static constexpr const char* kStates[] = {"S", "D", "R", "R+", "T", "X"};
  static constexpr const char* kNames[] = {"alpha", "beta", "gamma/1"};
  uint64_t time = 1000;
  for (fxt::Koid koid = 1; koid <= 6; ++koid) trace.Name(koid, kNames[koid % 3]);
  fxt::Koid on_cpu[3] = {1, 2, 0};
  fxt::Koid latest = 6;
  for (int i = 0; i < 300; ++i) {
    time += below(5);
    const auto cpu = static_cast<uint32_t>(below(3));
    const uint64_t what = order ? 4 + below(16) : below(20);
    switch (what) {
      case 0:
        trace.Loss(time, static_cast<int32_t>(cpu), 3);
        break;
      case 1:
        trace.Unseen(time, static_cast<int32_t>(cpu));
        break;
      case 2:
        ++latest;
        trace.Name(latest, kNames[below(3)]).Fork(time, 1 + below(latest - 1), latest);
        break;
      case 3:
        if (renames) trace.Name(1 + below(latest), kNames[below(3)]);
        break;
      case 4:
        trace.Migrate(time, 1 + below(latest), static_cast<int32_t>(below(3)), 0);
        break;
      case 5:
      case 6:
      case 7:
      case 8:
        trace.Wake(time, 1 + below(latest), below(2) * below(latest));
        break;
      default: {
        const fxt::Koid next = below(4) == 0 ? 0 : 1 + below(latest);
        const fxt::Koid previous = !order && below(30) == 0 ? 1 + below(latest) : on_cpu[cpu];
        if (next == previous) break;
        if (order && std::find(on_cpu, on_cpu + 3, next) != on_cpu + 3 && next != 0) break;
        const auto priority = [&] { return static_cast<uint8_t>(118 + below(4)); };
        trace.Switch(time, cpu, previous, kStates[below(6)], next, priority(), priority());
        on_cpu[cpu] = next;
      }
    }
  }
}

}  // namespace measure::testing
