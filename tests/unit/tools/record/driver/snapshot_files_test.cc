// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/driver/snapshot_files.h"

#include <gtest/gtest.h>

namespace tools {
namespace {

TEST(SnapshotFilesTest, ATriggersLineSaysWhichThread) {
  const session::TriggerFired fired{
      .time = 1, .what = "wakeup_latency > 20ms", .value = "25.3 ms", .tid = 1234};
  EXPECT_EQ(DescribeTrigger(fired, "worker"), "wakeup_latency > 20ms: 25.3 ms, thread worker 1234");
  EXPECT_EQ(DescribeTrigger(fired, ""), "wakeup_latency > 20ms: 25.3 ms, thread 1234");
  EXPECT_EQ(DescribeTrigger(fired, "a\x1b"),
            "wakeup_latency > 20ms: 25.3 ms, thread a\\u001b 1234");
  EXPECT_EQ(DescribeTrigger({.time = 1, .what = "alert slow", .value = "", .tid = 0}, ""),
            "alert slow");
}

}  // namespace
}  // namespace tools
