// SPDX-License-Identifier: BSD-2-Clause
// A recorder that cannot run for a while.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "capture/ftrace/fxt_log.h"
#include "capture/support/clock.h"
#include "capture/support/environment.h"
#include "capture/support/expect.h"
#include "capture/support/recording.h"
#include "util/cpu_list.h"

namespace truth {
namespace {

using std::chrono::milliseconds;

// The recorder is stopped for three seconds. Events that do not fit are lost and counted, and the
// file is valid.
TEST(Stopped, ForThreeSecondsUnderLoad) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  const std::string path = dir.File("trace.fxt");
  auto load = ChildProcess::Start({OddTasksPath(), "storm", "--times", "20000"});
  ASSERT_TRUE(load.ok());
  auto recorder = ChildProcess::Start(
      RecordCommand(path, {"-b", "256k", "--stats-json", dir.File("stats.json")}));
  ASSERT_TRUE(recorder.ok());
  ASSERT_TRUE(WaitForFile(path, kLimit)) << recorder->ErrorsSoFar();
  std::this_thread::sleep_for(milliseconds(500));
  recorder->Signal(SIGSTOP);
  std::this_thread::sleep_for(milliseconds(3'000));
  recorder->Signal(SIGCONT);
  std::this_thread::sleep_for(milliseconds(700));
  recorder->Signal(SIGINT);
  const CommandResult result = recorder->Wait(kLimit);
  EXPECT_TRUE(Exited(result, 0));
  FxtLog log;
  ASSERT_TRUE(IsWholeFile(path, &log));
  const auto stats = CaptureStats::Read(dir.File("stats.json"));
  ASSERT_TRUE(stats.ok()) << stats.error().message;
  printf("%lu of %lu events lost, in %zu places\n", stats->dropped, stats->raw_events,
         log.losses.size());
  EXPECT_GT(stats->dropped, 0u);
  EXPECT_EQ(log.lost(), stats->dropped);
  EXPECT_EQ(stats->raw_events, stats->records + stats->suppressed + stats->dropped);
  EXPECT_TRUE(Mentions(result.err, "lost")) << result.Describe();
  // The losses have the time of the stop, not of the end of the file.
  for (const DeclaredLoss& loss : log.losses) {
    EXPECT_GT(loss.time_ns, log.first_ns);
    EXPECT_LT(loss.time_ns, log.last_ns - 300'000'000);
  }
}

// Rings of the default size hold the events of a quarter of a second on every CPU.
TEST(Stopped, ForAQuarterOfASecondLosesNothing) {
  REQUIRE_CAPTURE();
  constexpr int kStops = 5;
  uint64_t longest_stop_ns = 0;
  const TempDir dir;
  const std::string path = dir.File("trace.fxt");
  std::vector<ChildProcess> load;
  for (const uint32_t cpu : util::ReadCpuList("online")) {
    auto started = ChildProcess::Start(
        {WorkloadPath(), "pingpong", "--cpu", std::to_string(cpu), "--count", "100000000"});
    ASSERT_TRUE(started.ok());
    load.push_back(std::move(*started));
  }
  auto recorder = ChildProcess::Start(
      WithPriority(RecordCommand(path, {"--stats-json", dir.File("stats.json")})));
  ASSERT_TRUE(recorder.ok());
  ASSERT_TRUE(WaitForFile(path, kLimit)) << recorder->ErrorsSoFar();
  for (int i = 0; i < kStops; ++i) {
    std::this_thread::sleep_for(milliseconds(250));
    recorder->Signal(SIGSTOP);
    const uint64_t stopped_ns = BootTimeNs();
    std::this_thread::sleep_for(milliseconds(250));
    recorder->Signal(SIGCONT);
    longest_stop_ns = std::max(longest_stop_ns, BootTimeNs() - stopped_ns);
  }
  std::this_thread::sleep_for(milliseconds(250));
  recorder->Signal(SIGINT);
  EXPECT_TRUE(Exited(recorder->Wait(kLimit), 0));
  for (ChildProcess& one : load) {
    one.Signal(SIGKILL);
    one.Wait(kLimit);
  }
  FxtLog log;
  ASSERT_TRUE(IsWholeFile(path, &log));
  const auto stats = CaptureStats::Read(dir.File("stats.json"));
  ASSERT_TRUE(stats.ok()) << stats.error().message;
  printf("%lu events, the fullest ring was %u%% full\n", stats->raw_events,
         stats->json.value("fullest_ring_percent", 0u));
  EXPECT_GT(stats->raw_events, 0u);
  // A busy machine may delay the end of a stop, so the rings have to hold more.
  if (longest_stop_ns < 350'000'000) {
    EXPECT_EQ(stats->dropped, 0u);
  }
}

}  // namespace
}  // namespace truth
