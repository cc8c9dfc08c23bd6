// SPDX-License-Identifier: BSD-2-Clause
// A recording has a start time and an end time, and all events between them and no others, under
// any load.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "capture/support/clock.h"
#include "capture/support/environment.h"
#include "capture/support/expect.h"
#include "capture/support/instants.h"
#include "capture/support/recording.h"

namespace truth {
namespace {

using std::chrono::milliseconds;

// Records during a storm of events and ends the recording by a signal.
void CaptureAStorm(int random_ms) {
  const TempDir dir;
  const std::string path = dir.File("trace.fxt");
  auto storm = ChildProcess::Start({OddTasksPath(), "births", "--times", "60000"});
  ASSERT_TRUE(storm.ok());
  auto recorder = ChildProcess::Start(
      WithPriority(RecordCommand(path, {"--stats-json", dir.File("stats.json")})));
  ASSERT_TRUE(recorder.ok());
  ASSERT_TRUE(WaitForFile(path, kLimit)) << recorder->ErrorsSoFar();
  std::this_thread::sleep_for(milliseconds(random_ms));
  const uint64_t signalled = BootTimeNs();
  recorder->Signal(SIGINT);
  ASSERT_TRUE(Exited(recorder->Wait(kLimit), 0));
  EXPECT_TRUE(storm->Running()) << "the storm ended too soon";
  storm->Signal(SIGKILL);
  storm->Wait(kLimit);
  FxtLog log;
  ASSERT_TRUE(IsWholeFile(path, &log));
  const auto stats = CaptureStats::Read(dir.File("stats.json"));
  ASSERT_TRUE(stats.ok()) << stats.error().message;
  EXPECT_EQ(stats->dropped, 0u) << stats->json["dropped"].dump() << " lost; the fullest ring was "
                                << stats->json["fullest_ring_percent"].dump() << "% full";

  const auto instants = ReadInstants(path);
  ASSERT_TRUE(instants.ok()) << instants.error().message;
  ASSERT_FALSE(instants->empty());
  EXPECT_EQ(instants->front().name, "session");
  const uint64_t start = instants->front().time_ns;
  const uint64_t end = start + stats->json.value("duration_ns", uint64_t{0});
  uint64_t first = log.first_ns, last = log.last_ns, births = 0;
  for (const Instant& instant : *instants) {
    first = std::min(first, instant.time_ns);
    last = std::max(last, instant.time_ns);
    births += instant.name == "fork";
  }
  EXPECT_GT(births, 0u);
  EXPECT_EQ(first, start) << "an event before the start";
  EXPECT_LE(last, end) << "an event after the end";
  // The signal wakes the recorder, so a switch lies between the signal and the end.
  EXPECT_GE(log.last_ns, signalled) << "the last events are missing";
}

TEST(Edges, StormsOfBirthsLoseNothing) {
  REQUIRE_CAPTURE();
  constexpr int kCaptures = 10;
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  for (int i = 0; i < kCaptures; ++i) {
    const int milliseconds_long = std::uniform_int_distribution<int>(0, 300)(random);
    SCOPED_TRACE("capture " + std::to_string(i) + ", seed " + std::to_string(seed));
    CaptureAStorm(milliseconds_long);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace truth
