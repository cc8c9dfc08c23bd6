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

struct Storm {
  uint64_t births = 0;
  uint64_t lost = 0;
};

// Records during a storm of events and ends the recording by a signal.
void CaptureAStorm(int random_ms, Storm* result) {
  const TempDir dir;
  const std::string path = dir.File("trace.fxt");
  auto storm = ChildProcess::Start({OddTasksPath(), "births", "--times", "100000000"});
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
  result->lost = stats->dropped;
  printf("%lu lost; the fullest ring was %s%% full\n", stats->dropped,
         stats->json["fullest_ring_percent"].dump().c_str());

  const auto instants = ReadInstants(path);
  ASSERT_TRUE(instants.ok()) << instants.error().message;
  ASSERT_FALSE(instants->empty());
  EXPECT_EQ(instants->front().name, "session");
  const uint64_t start = instants->front().time_ns;
  const uint64_t end = start + stats->json.value("duration_ns", uint64_t{0});
  uint64_t first = log.first_ns, last = log.last_ns;
  for (const Instant& instant : *instants) {
    first = std::min(first, instant.time_ns);
    last = std::max(last, instant.time_ns);
    result->births += instant.name == "fork";
  }
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
  uint64_t births = 0;
  int lossy = 0;
  for (int i = 0; i < kCaptures; ++i) {
    const int milliseconds_long = std::uniform_int_distribution<int>(0, 300)(random);
    SCOPED_TRACE("capture " + std::to_string(i) + ", seed " + std::to_string(seed));
    Storm storm;
    CaptureAStorm(milliseconds_long, &storm);
    if (HasFatalFailure()) return;
    births += storm.births;
    lossy += storm.lost > 0;
  }
  // A short one may have none.
  EXPECT_GT(births, 0u);
  // The rings hold a storm of a quarter of a second. A machine may keep the recorder from running
  // for longer now and then, but not each time.
  EXPECT_LE(lossy, kCaptures / 3);
}

}  // namespace
}  // namespace truth
