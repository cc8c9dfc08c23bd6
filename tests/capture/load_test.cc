// SPDX-License-Identifier: BSD-2-Clause
// Recording under load: all events in bounded memory, or a count of the lost ones.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "capture/ftrace/truth_run.h"
#include "capture/support/environment.h"
#include "capture/support/expect.h"
#include "capture/support/recording.h"
#include "capture/support/trace_objects.h"

namespace truth {
namespace {

using std::chrono::milliseconds;

struct Capture {
  CommandResult result;
  FxtLog log;
  CaptureStats stats;
};

// Records `command` and compares the file with the summary.
void RecordAndCheck(const std::vector<std::string>& options,
                    const std::vector<std::string>& command, Capture* capture) {
  const TempDir dir;
  std::vector<std::string> words = {"--stats-json", dir.File("stats.json")};
  words.insert(words.end(), options.begin(), options.end());
  capture->result =
      RunCommand(WithPriority(RecordCommand(dir.File("trace.fxt"), words, command)), kLimit);
  ASSERT_TRUE(Exited(capture->result, 0));
  ASSERT_TRUE(IsWholeFile(dir.File("trace.fxt"), &capture->log));
  auto stats = CaptureStats::Read(dir.File("stats.json"));
  ASSERT_TRUE(stats.ok()) << stats.error().message;
  capture->stats = std::move(*stats);
  const std::string shown = capture->stats.json.dump(1);
  EXPECT_EQ(capture->stats.raw_events,
            capture->stats.records + capture->stats.suppressed + capture->stats.dropped)
      << shown;
  // The file and the summary have the same losses by CPU and category.
  std::map<int32_t, std::map<std::string, uint64_t>> declared;
  for (const DeclaredLoss& loss : capture->log.losses) {
    declared[static_cast<int32_t>(loss.cpu)][loss.category] += loss.count;
  }
  EXPECT_EQ(declared, capture->stats.dropped_by_cpu) << shown;
  EXPECT_EQ(capture->log.provider_events > 0, capture->stats.dropped > 0) << shown;
  // The counts match those of the BPF programs.
  uint64_t kernel_dropped = 0;
  if (capture->stats.json["kernel"].contains("dropped")) {
    for (const auto& count : capture->stats.json["kernel"]["dropped"]) {
      kernel_dropped += count.get<uint64_t>();
    }
  }
  kernel_dropped += capture->stats.json["kernel"].value("recursion_misses", uint64_t{0});
  EXPECT_EQ(kernel_dropped, capture->stats.dropped) << shown;
  EXPECT_EQ(capture->stats.json.value("switches", uint64_t{0}), capture->log.log.switch_count());
}

TEST(Load, TotalsAccountWithoutLoss) {
  REQUIRE_CAPTURE();
  // A busy machine has many events of all categories, and may keep the recorder from running.
  uint64_t dropped = 1;
  for (int attempt = 0; attempt < 5 && dropped > 0; ++attempt) {
    Capture capture;
    ASSERT_NO_FATAL_FAILURE(
        RecordAndCheck({"-c", "all"}, {WorkloadPath(), "script", "--rounds", "3"}, &capture));
    dropped = capture.stats.dropped;
  }
  EXPECT_EQ(dropped, 0u);
}

TEST(Load, TotalsAccountWithRingsTooSmall) {
  REQUIRE_CAPTURE();
  Capture capture;
  ASSERT_NO_FATAL_FAILURE(RecordAndCheck(
      {"-b", "4k"}, {OddTasksPath(), "storm", "--times", "1500", "--hold", "fxt-record"},
      &capture));
  printf("%lu raw events, %lu of them lost and said so\n", capture.stats.raw_events,
         capture.stats.dropped);
  EXPECT_GT(capture.stats.dropped, 0u);
  EXPECT_TRUE(Mentions(capture.result.err, "lost")) << capture.result.Describe();
}

TEST(Load, DefaultsLoseNothing) {
  REQUIRE_CAPTURE();
  // A machine may keep the recorder from running for longer than the rings hold, but not each time.
  uint64_t dropped = 1;
  for (int attempt = 0; attempt < 3 && dropped > 0; ++attempt) {
    Capture capture;
    ASSERT_NO_FATAL_FAILURE(
        RecordAndCheck({}, {OddTasksPath(), "storm", "--times", "5000"}, &capture));
    printf(
        "%lu raw events in 5 s, %lu lost, %.1f MiB of memory, %.0f ms of CPU\n",
        capture.stats.raw_events, capture.stats.dropped,
        static_cast<double>(capture.stats.json.value("peak_memory_bytes", uint64_t{0})) / 1048576,
        static_cast<double>(capture.stats.json.value("cpu_time_ns", uint64_t{0})) / 1e6);
    dropped = capture.stats.dropped;
  }
  EXPECT_EQ(dropped, 0u);
}

// Switches are missing only where the file declares a loss.
TEST(Load, MissingSwitchesAreDeclared) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  TruthRunOptions options;
  options.recorder = {RecorderPath()};
  options.recorder_options = {"-b", "4k", "-c", "sched,task"};
  options.trace_path = dir.File("trace.fxt");
  options.workload = {OddTasksPath(), "storm", "--times", "700", "--hold", "fxt-record"};
  options.window_program = ComparePath();
  const auto run = RunUnderBoth(options);
  ASSERT_TRUE(run.ok()) << run.error().message;
  const CpuComparison& total = run->comparison.total;
  printf("%s", run->Describe().c_str());
  EXPECT_GT(run->recorded.lost(), 0u);
  EXPECT_GT(total.missing, 0u);
  EXPECT_LE(total.missing, run->recorded.lost());
  EXPECT_EQ(total.extra, 0u);
  EXPECT_EQ(total.wrong_state, 0u);
  EXPECT_EQ(total.wrong_priority, 0u);
  // While the recorder is stopped, other programs may fork and exec more often than the small side
  // ring holds. The file declares the lost names, too.
  uint64_t tasks_lost = 0;
  for (const DeclaredLoss& loss : run->recorded.losses) {
    if (loss.category == "task") tasks_lost += loss.count;
  }
  if (total.wrong_name > 0) {
    printf("%lu task events were declared lost\n", tasks_lost);
    EXPECT_GT(tasks_lost, 0u);
  }
  EXPECT_EQ(total.late, 0u);
  EXPECT_EQ(run->recorded.switches_out_of_order, 0u);
  EXPECT_EQ(run->recorded.problem_count, 0u);
  for (uint32_t cpu = 0; cpu < run->comparison.cpus.size(); ++cpu) {
    uint64_t declared = 0;
    for (const DeclaredLoss& loss : run->recorded.losses) {
      if (loss.cpu == cpu && loss.category == "sched") declared += loss.count;
    }
    EXPECT_LE(run->comparison.cpus[cpu].missing, declared) << "cpu" << cpu;
  }
  // Each gap in the switches of a CPU contains a declared loss.
  for (uint32_t cpu = 0; cpu < run->recorded.log.cpus.size(); ++cpu) {
    const auto& switches = run->recorded.log.cpus[cpu];
    uint64_t silent = 0;
    for (size_t i = 1; i < switches.size(); ++i) {
      if (switches[i - 1].next_tid == switches[i].prev_tid) continue;
      if (IsInit(run->reference.log.init_tids, switches[i - 1].next_tid)) continue;
      const auto within = [&](uint64_t time_ns, uint32_t of) {
        return of == cpu && time_ns >= switches[i - 1].time_ns && time_ns <= switches[i].time_ns;
      };
      bool declared = false;
      for (const DeclaredLoss& loss : run->recorded.losses) {
        if (within(loss.time_ns, loss.cpu)) {
          declared = true;
          break;
        }
      }
      silent += !declared;
    }
    EXPECT_EQ(silent, 0u) << "cpu" << cpu << ": gaps without a declared loss";
  }
  // A gap begins before the first lost switch: the file shows no thread as running that left the
  // CPU.
  constexpr uint64_t kToleranceNs = 100'000;  // between the clocks of the two recorders
  const auto earlier = [](const Switch& each, uint64_t time_ns) { return each.time_ns < time_ns; };
  uint64_t gaps = 0;
  uint64_t late_gaps = 0;
  for (const UnseenSwitch& gap : run->recorded.gap_begins) {
    const auto& own = run->recorded.log.cpus[gap.cpu];
    const auto& truth = run->reference.log.cpus[gap.cpu];
    const auto next = std::lower_bound(own.begin(), own.end(), gap.time_ns, earlier);
    if (next == own.begin()) continue;
    const auto begin = std::lower_bound(truth.begin(), truth.end(),
                                        std::prev(next)->time_ns + kToleranceNs, earlier);
    ++gaps;
    late_gaps += begin != truth.end() && begin->time_ns + kToleranceNs < gap.time_ns;
  }
  printf("%lu gaps, %lu of them begin late\n", gaps, late_gaps);
  EXPECT_GT(gaps, 0u);
  EXPECT_EQ(late_gaps, 0u);
}

TEST(Load, ForkStormKeepsMemoryAndNames) {
  REQUIRE_CAPTURE();
  // The recorder's memory is its own, whatever starts it has.
  const std::vector<char> touched(size_t{96} << 20, 1);
  Capture small, large;
  ASSERT_NO_FATAL_FAILURE(
      RecordAndCheck({}, {WorkloadPath(), "forkstorm", "--count", "2000"}, &small));
  // A busy machine forks slowly.
  ASSERT_NO_FATAL_FAILURE(RecordAndCheck(
      {}, {WorkloadPath(), "--time-limit", "280", "forkstorm", "--count", "20000"}, &large));
  const auto memory = [](const Capture& capture) {
    return static_cast<double>(capture.stats.json.value("peak_memory_bytes", uint64_t{0})) /
           1048576;
  };
  printf("2,000 processes: %.1f MiB; 20,000: %.1f MiB, %.1f bytes per switch, %lu lost\n",
         memory(small), memory(large), large.stats.json.value("bytes_per_switch", 0.0),
         large.stats.dropped);
  EXPECT_EQ(large.stats.dropped, 0u);
  EXPECT_LT(memory(large), 64.0);
  // The memory for ended tasks must not grow with 18,000 more of them.
  EXPECT_LT(memory(large), memory(small) + 1.5);
  // Each child has its own name at its switches.
  std::set<std::pair<int32_t, uint16_t>> children;
  for (const auto& cpu : large.log.log.cpus) {
    for (const Switch& s : cpu) {
      if (large.log.log.names.Name(s.prev_name) == "wl-fork") {
        children.emplace(s.prev_tid, s.prev_generation);
      }
    }
  }
  printf("%zu of 20,000 children seen leaving a CPU under their name\n", children.size());
  EXPECT_GE(children.size(), 19'960u);
}

TEST(Load, BytesPerSwitchWithManyThreads) {
  REQUIRE_CAPTURE();
  struct Case {
    const char* threads;
    double most;
  };
  // The threads of a busy machine would add to their number.
  for (const Case& tested : {Case{"150", 16.5}, Case{"350", 18.5}, Case{"760", 23.0}}) {
    Capture capture;
    ASSERT_NO_FATAL_FAILURE(RecordAndCheck(
        {"--only-command"},
        {OddTasksPath(), "busy-threads", "--count", tested.threads, "--times", "800"}, &capture));
    const double per_switch = static_cast<double>(capture.log.switch_bytes) /
                              static_cast<double>(capture.log.log.switch_count());
    const double whole = capture.stats.json.value("bytes_per_switch", 0.0);
    printf(
        "%s threads busy: %.2f bytes per switch record, %.2f with everything but wakeups, %zu "
        "switches\n",
        tested.threads, per_switch, whole, capture.log.log.switch_count());
    EXPECT_LE(per_switch, tested.most) << tested.threads;
  }
}

TEST(Load, TenThousandThreads) {
  REQUIRE_CAPTURE();
  // The threads start before the recorder, which lists them at its start.
  auto before = ChildProcess::Start({OddTasksPath(), "busy-threads", "--count", "4000", "--times",
                                     "30", "--sleep-us", "2000000"});
  ASSERT_TRUE(before.ok());
  std::this_thread::sleep_for(milliseconds(500));
  Capture capture;
  ASSERT_NO_FATAL_FAILURE(
      RecordAndCheck({}, {WorkloadPath(), "threads", "--count", "10000"}, &capture));
  printf("%zu switches, %.1f MiB, %lu lost\n", capture.log.log.switch_count(),
         static_cast<double>(capture.stats.json.value("peak_memory_bytes", uint64_t{0})) / 1048576,
         capture.stats.dropped);
  EXPECT_EQ(capture.stats.dropped, 0u);
  std::set<int32_t> seen;
  for (const auto& cpu : capture.log.log.cpus) {
    for (const Switch& s : cpu) {
      if (capture.log.log.names.Name(s.prev_name) == "wl-thread") seen.insert(s.prev_tid);
    }
  }
  EXPECT_GE(seen.size(), 9'990u);
}

TEST(Load, TwoRecordersAtOnce) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  auto first = ChildProcess::Start(WithPriority(RecordCommand(dir.File("first.fxt"), {})));
  auto second = ChildProcess::Start(WithPriority(RecordCommand(dir.File("second.fxt"), {"-z"})));
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_TRUE(WaitForFile(dir.File("first.fxt"), kLimit)) << first->ErrorsSoFar();
  ASSERT_TRUE(WaitForFile(dir.File("second.fxt"), kLimit)) << second->ErrorsSoFar();
  std::this_thread::sleep_for(milliseconds(200));
  RunCommand({WorkloadPath(), "pingpong", "--cpu", "0", "--count", "50000"}, kLimit);
  for (ChildProcess* recorder : {&*first, &*second}) {
    recorder->Signal(SIGINT);
    EXPECT_TRUE(Exited(recorder->Wait(kLimit), 0));
  }
  FxtLog one, other;
  ASSERT_TRUE(IsWholeFile(dir.File("first.fxt"), &one));
  ASSERT_TRUE(IsWholeFile(dir.File("second.fxt"), &other));
  EXPECT_EQ(one.lost() + other.lost(), 0u);
  EXPECT_GT(one.log.switch_count(), 100'000u);
  // Both recordings have the same events in their common time.
  constexpr uint64_t kMargin = 50'000'000;
  const Window window = {std::max(one.first_ns, other.first_ns) + kMargin,
                         std::min(one.last_ns, other.last_ns) - kMargin};
  uint64_t counts[2] = {0, 0};
  const SwitchLog* logs[2] = {&one.log, &other.log};
  for (int i = 0; i < 2; ++i) {
    for (const auto& cpu : logs[i]->cpus) {
      for (const Switch& s : cpu) counts[i] += window.Contains(s.time_ns);
    }
  }
  // Each reads the clock for itself: on each CPU an event at either end is inside for one alone.
  EXPECT_NEAR(static_cast<double>(counts[0]), static_cast<double>(counts[1]),
              2.0 * static_cast<double>(sysconf(_SC_NPROCESSORS_CONF)));
}

// Prints the cost of recording with the load that the machine has. The bounds are wide.
TEST(Load, CostWithoutLoad) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  const std::string path = dir.File("trace.fxt");
  auto recorder = ChildProcess::Start(
      RecordCommand(path, {"-d", "3s", "--stats-json", dir.File("stats.json")}));
  ASSERT_TRUE(recorder.ok());
  const auto pid = static_cast<fxt::Koid>(recorder->pid());
  ASSERT_TRUE(Exited(recorder->Wait(kLimit), 0));
  FxtLog log;
  ASSERT_TRUE(IsWholeFile(path, &log));
  const auto stats = CaptureStats::Read(dir.File("stats.json"));
  ASSERT_TRUE(stats.ok());
  // Another recorder may run at the same time.
  const TraceObjects objects = TraceObjects::Read(path);
  const auto is_own = [&](int32_t tid) {
    const auto thread = objects.threads.find(static_cast<fxt::Koid>(tid));
    return thread != objects.threads.end() && thread->second.process == pid;
  };
  uint64_t own = 0;
  for (const auto& cpu : log.log.cpus) {
    for (const Switch& s : cpu) own += is_own(s.next_tid);
  }
  const double seconds = static_cast<double>(stats->json.value("duration_ns", uint64_t{1})) / 1e9;
  printf(
      "idle: %.0f events a second, %.1f switches a second to the recorder itself, %.2f%% of a "
      "CPU\n",
      static_cast<double>(stats->raw_events) / seconds, static_cast<double>(own) / seconds,
      static_cast<double>(stats->json.value("cpu_time_ns", uint64_t{0})) / seconds / 1e7);
  // A recorder that polls would switch thousands of times.
  EXPECT_LT(static_cast<double>(own) / seconds, 1000.0);
}

// Prints the time that starting and stopping takes.
TEST(Load, StartAndStopTimes) {
  REQUIRE_CAPTURE();
  double start = 0, stop = 0;
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds; ++round) {
    const TempDir dir;
    const std::string path = dir.File("trace.fxt");
    timespec begun{}, stopped{}, ended{};
    clock_gettime(CLOCK_BOOTTIME, &begun);
    auto recorder = ChildProcess::Start(RecordCommand(path, {}));
    ASSERT_TRUE(recorder.ok());
    ASSERT_TRUE(WaitForFile(path, kLimit)) << recorder->ErrorsSoFar();
    std::this_thread::sleep_for(milliseconds(600));
    clock_gettime(CLOCK_BOOTTIME, &stopped);
    recorder->Signal(SIGINT);
    ASSERT_TRUE(Exited(recorder->Wait(kLimit), 0));
    clock_gettime(CLOCK_BOOTTIME, &ended);
    FxtLog log;
    ASSERT_TRUE(IsWholeFile(path, &log));
    const auto seconds = [](const timespec& t) {
      return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
    };
    start += static_cast<double>(log.first_ns) / 1e9 - seconds(begun);
    stop += seconds(ended) - seconds(stopped);
  }
  printf("start to first switch %.0f ms, stop to the end %.0f ms\n", start / kRounds * 1000,
         stop / kRounds * 1000);
}

}  // namespace
}  // namespace truth
