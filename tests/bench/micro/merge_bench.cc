// SPDX-License-Identifier: BSD-2-Clause
// Measures the cost of merging per event by the number of rings. Compare it with log2 of that
// number.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "bench/micro/synthetic_events.h"
#include "capture/rings/slot_merger.h"

namespace {

constexpr uint64_t kEvents = 1 << 18;

void Merge(benchmark::State& state, bench::SyntheticRings rings) {
  for (auto _ : state) {
    capture::SlotMerger merger = rings.MakeMerger();
    uint64_t sum = 0;
    merger.Drain(rings.last_time(), rings.last_time(),
                 [&](uint32_t cpu, const capture::SlotEvent& event) { sum += cpu + event.body; });
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(static_cast<int64_t>(rings.events()) * state.iterations());
}

// Each event comes from another ring than the previous one.
void MergeShuffled(benchmark::State& state) {
  Merge(state, bench::MakeShuffled(static_cast<uint32_t>(state.range(0)), kEvents));
}

void MergePingPong(benchmark::State& state) {
  const auto cpus = static_cast<uint32_t>(state.range(0));
  Merge(state, bench::MakePingPong({.cpus = cpus, .threads = 2 * cpus, .events = kEvents}));
}

BENCHMARK(MergeShuffled)->Arg(1)->Arg(2)->Arg(16)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond);
BENCHMARK(MergePingPong)->Arg(2)->Arg(16)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond);

}  // namespace
