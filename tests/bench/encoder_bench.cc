// SPDX-License-Identifier: BSD-2-Clause
// Measures the time per record from the encoder to the sink. "bytes" is the size of the record.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "fxt/encoder.h"
#include "fxt/provider_writer.h"
#include "sink/gzip_sink.h"
#include "sink/output.h"
#include "unit/fxt/support/switch_streams.h"

namespace {

using fxt::Encoder;
using fxt::EncodeStatus;
using fxt::StringRef;
using fxt::ThreadRef;
using fxt::testing::Step;

class NullSink final : public fxt::ByteSink {
 public:
  bool Write(std::span<const std::byte> records) override {
    benchmark::DoNotOptimize(records.data());
    return true;
  }
};

// Runs `write` once per iteration, which must succeed.
template <typename Write>
void Measure(benchmark::State& state, Write&& write) {
  NullSink sink;
  fxt::RecordBuffer buffer(sink);
  Encoder encoder(buffer);
  uint64_t time = 0;
  for (auto _ : state) {
    if (write(encoder, ++time) != EncodeStatus::kOk) state.SkipWithError("refused");
  }
  state.counters["bytes"] = benchmark::Counter(static_cast<double>(buffer.bytes_committed()),
                                               benchmark::Counter::kAvgIterations);
}

fxt::LegacyContextSwitch Switch(uint64_t time, ThreadRef outgoing, ThreadRef incoming) {
  return {.timestamp = time,
          .cpu = static_cast<uint8_t>(time & 1),
          .outgoing_state = fxt::ThreadState::kBlocked,
          .outgoing = outgoing,
          .incoming = incoming,
          .outgoing_priority = 120,
          .incoming_priority = 120};
}

void SwitchIndexed(benchmark::State& state) {
  Measure(state, [](Encoder& encoder, uint64_t time) {
    const auto index = static_cast<uint8_t>(time | 1);
    return encoder.Write(Switch(time, ThreadRef::Indexed(index), ThreadRef::Indexed(17)));
  });
}
BENCHMARK(SwitchIndexed);

void SwitchInline(benchmark::State& state) {
  Measure(state, [](Encoder& encoder, uint64_t time) {
    return encoder.Write(
        Switch(time, ThreadRef::Inline(1000, time & 0xfff), ThreadRef::Inline(1000, 17)));
  });
}
BENCHMARK(SwitchInline);

// The side with an inline reference varies.
void SwitchMixed(benchmark::State& state) {
  Measure(state, [](Encoder& encoder, uint64_t time) {
    const uint64_t random = time * 0x9e3779b97f4a7c15 >> 56;
    const ThreadRef outgoing =
        (random & 1) != 0 ? ThreadRef::Indexed(5) : ThreadRef::Inline(1000, time);
    const ThreadRef incoming =
        (random & 2) != 0 ? ThreadRef::Indexed(6) : ThreadRef::Inline(1000, time);
    return encoder.Write(Switch(time, outgoing, incoming));
  });
}
BENCHMARK(SwitchMixed);

void WakeupWithWaker(benchmark::State& state) {
  Measure(state, [](Encoder& encoder, uint64_t time) {
    return encoder.WriteWakeup(time, 1, time & 0xfff, StringRef::Indexed(3), 4711);
  });
}
BENCHMARK(WakeupWithWaker);

void DurationBegin(benchmark::State& state) {
  Measure(state, [](Encoder& encoder, uint64_t time) {
    return encoder.WriteDurationBegin(time, ThreadRef::Indexed(9), StringRef::Indexed(3),
                                      StringRef::Indexed(4));
  });
}
BENCHMARK(DurationBegin);

void EventWithThreeArguments(benchmark::State& state) {
  Measure(state, [](Encoder& encoder, uint64_t time) {
    const std::array arguments = {
        fxt::Argument{StringRef::Indexed(5), static_cast<int32_t>(time)},
        fxt::Argument{StringRef::Indexed(6), fxt::KoidValue{time}},
        fxt::Argument{StringRef::Indexed(7), StringRef::Indexed(8)},
    };
    return encoder.Write(fxt::Event{.type = fxt::EventType::kInstant,
                                    .timestamp = time,
                                    .thread = ThreadRef::Indexed(9),
                                    .category = StringRef::Indexed(3),
                                    .name = StringRef::Indexed(4),
                                    .arguments = arguments});
  });
}
BENCHMARK(EventWithThreeArguments);

fxt::ThreadKey Key(uint32_t handle) {
  return {.handle = handle, .process = 1000, .thread = 2000 + handle};
}

void ProviderSwitch(benchmark::State& state, const std::vector<Step>& steps) {
  NullSink sink;
  fxt::ArchiveWriter archive(sink);
  fxt::ProviderWriter writer(archive, "fxt-record");
  size_t next = 0;
  uint64_t time = 0;
  for (auto _ : state) {
    const Step& step = steps[next];
    if (++next == steps.size()) next = 0;
    const auto status = writer.WriteContextSwitch(++time, step.cpu, fxt::ThreadState::kBlocked,
                                                  Key(step.outgoing), Key(step.incoming), 120, 120);
    if (status != EncodeStatus::kOk) state.SkipWithError("refused");
  }
  state.counters["bytes"] =
      benchmark::Counter(static_cast<double>(archive.bytes()), benchmark::Counter::kAvgIterations);
}
constexpr size_t kSteps = 100'000;
BENCHMARK_CAPTURE(ProviderSwitch, 220_threads, fxt::testing::Messaging(220, 2, kSteps, 1));
BENCHMARK_CAPTURE(ProviderSwitch, 423_threads, fxt::testing::Messaging(423, 2, kSteps, 1));
BENCHMARK_CAPTURE(ProviderSwitch, 838_threads, fxt::testing::Messaging(838, 2, kSteps, 1));

void ProviderWakeup(benchmark::State& state) {
  NullSink sink;
  fxt::ArchiveWriter archive(sink);
  fxt::ProviderWriter writer(archive, "fxt-record");
  const fxt::StringId waker = writer.Declare("waker");
  uint64_t time = 0;
  for (auto _ : state) {
    ++time;
    if (writer.WriteWakeup(time, 1, time & 0xfff, waker, 4711) != EncodeStatus::kOk) {
      state.SkipWithError("refused");
    }
  }
}
BENCHMARK(ProviderWakeup);

void ProviderEvent(benchmark::State& state) {
  NullSink sink;
  fxt::ArchiveWriter archive(sink);
  fxt::ProviderWriter writer(archive, "fxt-record");
  const fxt::StringId category = writer.Declare("irq");
  const fxt::StringId name = writer.Declare("nvme0q1");
  uint64_t time = 0;
  for (auto _ : state) {
    ++time;
    const auto status =
        writer.WriteEvent(fxt::EventType::kDurationBegin, time, Key(time & 0x7f), category, name);
    if (status != EncodeStatus::kOk) state.SkipWithError("refused");
  }
}
BENCHMARK(ProviderEvent);

void ProviderEventWithInternedName(benchmark::State& state) {
  NullSink sink;
  fxt::ArchiveWriter archive(sink);
  fxt::ProviderWriter writer(archive, "fxt-record");
  const fxt::StringId category = writer.Declare("sched");
  const std::array<std::string_view, 4> names = {"kworker/0:1", "bash", "a-longer-name", "ls"};
  uint64_t time = 0;
  for (auto _ : state) {
    ++time;
    fxt::RecordScope scope = writer.Begin(Key(time & 0x7f));
    const auto status = scope.Write(fxt::Event{.type = fxt::EventType::kInstant,
                                               .timestamp = time,
                                               .thread = scope.thread(),
                                               .category = scope.Refer(category),
                                               .name = scope.Intern(names[time & 3]),
                                               .arguments = {}});
    if (status != EncodeStatus::kOk) state.SkipWithError("refused");
  }
}
BENCHMARK(ProviderEventWithInternedName);

// From a switch to compressed bytes. Times differ by about a microsecond, as in a trace.
void GzipSwitch(benchmark::State& state) {
  const std::vector<Step> steps = fxt::testing::Messaging(220, 2, kSteps, 1);
  sink::GzipSink sink(sink::Output(util::UniqueFd(open("/dev/null", O_WRONLY | O_CLOEXEC)), "null"),
                      {.level = static_cast<int>(state.range(0))});
  fxt::ArchiveWriter archive(sink);
  fxt::ProviderWriter writer(archive, "fxt-record");
  size_t next = 0;
  uint64_t time = 1'000'000'000'000;
  for (auto _ : state) {
    const Step& step = steps[next];
    if (++next == steps.size()) next = 0;
    time += 300 + (time * 0x9e3779b97f4a7c15 >> 53);
    const auto status = writer.WriteContextSwitch(time, step.cpu, fxt::ThreadState::kBlocked,
                                                  Key(step.outgoing), Key(step.incoming), 120, 120);
    if (status != EncodeStatus::kOk) state.SkipWithError("refused");
  }
  archive.Flush();
  state.counters["bytes"] = benchmark::Counter(static_cast<double>(sink.bytes_on_disk()),
                                               benchmark::Counter::kAvgIterations);
}
BENCHMARK(GzipSwitch)->Arg(0)->Arg(1)->Arg(6);

}  // namespace

BENCHMARK_MAIN();
