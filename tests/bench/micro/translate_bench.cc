// SPDX-License-Identifier: BSD-2-Clause
// Measures the user side of a recording without the kernel, from rings in memory to a sink that
// discards records: the translation, and the whole path with the merge.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/micro/counting_sink.h"
#include "bench/micro/synthetic_events.h"
#include "capture/event_handler.h"
#include "capture/rings/slot_merger.h"
#include "capture/slot_stream.h"
#include "fxt/archive_writer.h"
#include "fxt/provider_writer.h"
#include "model/identity_source.h"
#include "translate/translator.h"

namespace {

constexpr uint64_t kEvents = 1 << 18;

class NoIdentities final : public model::IdentitySource {
 public:
  model::ProcessText TextOf(uint32_t) override { return {}; }
  std::optional<fxr_task> LookUp(uint32_t) override { return std::nullopt; }
  std::string CgroupPath(uint64_t) override { return "/"; }
  std::string IrqName(uint32_t) override { return ""; }
  std::vector<model::ExecutableMapping> MappingsOf(uint32_t) override { return {}; }
};

// The state right after the start: all threads are known and named.
class Recording {
 public:
  explicit Recording(uint32_t threads)
      : tasks_(identities_, true), archive_(sink_), writer_(archive_, "bench") {
    translator_.emplace(writer_, tasks_, translate::TranslatorOptions{});
    for (uint32_t i = 0; i < threads; ++i) {
      fxr_task task{};
      task.tid = bench::kFirstTid + i;
      task.tgid = bench::kFirstTid + i / 40 * 40;
      task.start_time = 1;
      std::to_string(task.tid).copy(task.comm, sizeof(task.comm) - 1);
      translator_->OnSnapshotTask(task);
    }
    translator_->EndSnapshot();
    archive_.Flush();
    start_bytes_ = sink_.bytes();
  }

  translate::Translator& translator() { return *translator_; }
  uint64_t Finish() {
    archive_.Flush();
    return sink_.bytes() - start_bytes_;
  }

 private:
  bench::CountingSink sink_;
  NoIdentities identities_;
  model::TaskTracker tasks_;
  fxt::ArchiveWriter archive_;
  fxt::ProviderWriter writer_;
  std::optional<translate::Translator> translator_;
  uint64_t start_bytes_ = 0;
};

struct Event {
  uint32_t cpu;
  capture::SlotEvent slot;
};

void Report(benchmark::State& state, uint64_t events, uint64_t bytes) {
  state.SetItemsProcessed(static_cast<int64_t>(events) * state.iterations());
  state.counters["bytes_per_event"] = static_cast<double>(bytes) / static_cast<double>(events);
}

void Translate(benchmark::State& state, bench::SyntheticRings rings, uint32_t threads) {
  std::vector<Event> events;
  capture::SlotMerger merger = rings.MakeMerger();
  merger.Drain(rings.last_time(), rings.last_time(),
               [&](uint32_t cpu, const capture::SlotEvent& event) {
                 events.push_back({cpu, event});
               });
  uint64_t bytes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Recording recording(threads);
    state.ResumeTiming();
    for (const Event& event : events) {
      recording.translator().OnSlot(event.cpu, event.slot.time, event.slot.commit, event.slot.body);
    }
    bytes = recording.Finish();
  }
  Report(state, events.size(), bytes);
}

class NoOthers final : public capture::OtherEvents {
 public:
  uint64_t NextTime() const override { return UINT64_MAX; }
  void DeliverUpTo(uint64_t) override {}
};

// The delivery of a session to its handler.
void WholePath(benchmark::State& state, bench::SyntheticRings rings, uint32_t threads) {
  uint64_t bytes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Recording recording(threads);
    capture::SlotMerger merger = rings.MakeMerger();
    capture::HandlerOf handler(recording.translator());
    NoOthers others;
    capture::SlotStream slots(merger, others, rings.last_time(), rings.last_time());
    state.ResumeTiming();
    merger.LoadHeads();
    handler.OnSlots(slots);
    bytes = recording.Finish();
  }
  Report(state, rings.events(), bytes);
}

bench::SyntheticRings PingPong(bool wakeups) {
  return bench::MakePingPong({.cpus = 2, .threads = 4, .events = kEvents, .wakeups = wakeups});
}
bench::SyntheticRings Messaging(uint32_t threads) {
  return bench::MakeMessaging({.cpus = 2, .threads = threads, .events = kEvents});
}

void TranslateSwitches(benchmark::State& state) { Translate(state, PingPong(false), 4); }
void TranslatePingPong(benchmark::State& state) { Translate(state, PingPong(true), 4); }
void TranslateMessaging(benchmark::State& state) {
  const auto threads = static_cast<uint32_t>(state.range(0));
  Translate(state, Messaging(threads), threads);
}
void WholePathSwitches(benchmark::State& state) { WholePath(state, PingPong(false), 4); }
void WholePathPingPong(benchmark::State& state) { WholePath(state, PingPong(true), 4); }
void WholePathMessaging(benchmark::State& state) {
  const auto threads = static_cast<uint32_t>(state.range(0));
  WholePath(state, Messaging(threads), threads);
}

BENCHMARK(TranslateSwitches)->Unit(benchmark::kMillisecond);
BENCHMARK(TranslatePingPong)->Unit(benchmark::kMillisecond);
BENCHMARK(TranslateMessaging)->Arg(100)->Arg(400)->Arg(800)->Unit(benchmark::kMillisecond);
BENCHMARK(WholePathSwitches)->Unit(benchmark::kMillisecond);
BENCHMARK(WholePathPingPong)->Unit(benchmark::kMillisecond);
BENCHMARK(WholePathMessaging)->Arg(100)->Arg(400)->Arg(800)->Unit(benchmark::kMillisecond);

}  // namespace
