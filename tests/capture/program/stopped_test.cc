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
  auto load = ChildProcess::Start({OddTasksPath(), "storm", "--times", "300000"});
  ASSERT_TRUE(load.ok());
  auto recorder = ChildProcess::Start(
      RecordCommand(path, {"-b", "256k", "--stats-json", dir.File("stats.json")}));
  ASSERT_TRUE(recorder.ok());
  ASSERT_TRUE(WaitForFile(path, kLimit)) << recorder->ErrorsSoFar();
  std::this_thread::sleep_for(milliseconds(500));
  recorder->Signal(SIGSTOP);
  const uint64_t stopped_ns = BootTimeNs();
  std::this_thread::sleep_for(milliseconds(3'000));
  const uint64_t continued_ns = BootTimeNs();
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
  // The losses of the stop have its time, not that of the end of the file. On a busy machine such
  // small rings lose some at other times, too.
  uint64_t in_the_stop = 0;
  for (const DeclaredLoss& loss : log.losses) {
    EXPECT_GT(loss.time_ns, log.first_ns);
    if (loss.time_ns > stopped_ns && loss.time_ns < continued_ns) in_the_stop += loss.count;
  }
  EXPECT_GT(in_the_stop, 0u);
}

// Stops the recorder for a quarter of a second at a time. Returns true if nothing was lost.
bool LosesNothing() {
  constexpr int kStops = 5;
  uint64_t longest_stop_ns = 0;
  const TempDir dir;
  const std::string path = dir.File("trace.fxt");
  std::vector<ChildProcess> load;
  for (const uint32_t cpu : util::ReadCpuList("online")) {
    auto started = ChildProcess::Start(
        {WorkloadPath(), "pingpong", "--cpu", std::to_string(cpu), "--count", "100000000"});
    load.push_back(std::move(started.value()));
  }
  auto recorder = ChildProcess::Start(
      WithPriority(RecordCommand(path, {"--stats-json", dir.File("stats.json")})));
  EXPECT_TRUE(recorder.ok() && WaitForFile(path, kLimit)) << recorder->ErrorsSoFar();
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
  EXPECT_TRUE(IsWholeFile(path));
  const auto stats = CaptureStats::Read(dir.File("stats.json"));
  EXPECT_TRUE(stats.ok()) << stats.error().message;
  printf("%lu events, %lu lost in stops of at most %lu ms; the fullest ring was %u%% full\n",
         stats->raw_events, stats->dropped, longest_stop_ns / 1'000'000,
         stats->json.value("fullest_ring_percent", 0u));
  EXPECT_GT(stats->raw_events, 0u);
  return stats->dropped == 0;
}

// Rings of the default size hold the events of a quarter of a second on every CPU. A busy machine
// may delay the end of a stop, and the recorder's work after it, so the rings have to hold more.
TEST(Stopped, ForAQuarterOfASecondLosesNothing) {
  REQUIRE_CAPTURE();
  bool found = false;
  for (int attempt = 0; attempt < 5 && !found; ++attempt) found = LosesNothing();
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace truth
