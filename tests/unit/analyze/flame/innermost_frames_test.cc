// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/flame/innermost_frames.h"

#include <gtest/gtest.h>

#include <vector>

namespace analyze {
namespace {

TEST(InnermostFramesTest, AreThoseOfTheProgram) {
  const std::vector<NamedFrame> frames = {
      {"schedule_[k]"}, {"do_nanosleep_[k]"}, {"nap (a.c:3)"}, {"commit"}, {"main"}};
  EXPECT_EQ(InnermostFrames(frames, 2), "nap (a.c:3) <- commit");
  EXPECT_EQ(InnermostFrames(std::vector<NamedFrame>{{"schedule_[k]"}, {"worker_thread_[k]"}}, 3),
            "schedule <- worker_thread");
  EXPECT_EQ(InnermostFrames({}, 3), "");
}

TEST(InnermostFramesTest, HasTheCalledFunctionOfTheCLibrary) {
  const std::vector<NamedFrame> frames = {{"clock_nanosleep", true}, {"usleep", true}, {"nap"},
                                          {"qsort", true},           {"msort", true},  {"main"}};
  EXPECT_EQ(InnermostFrames(frames, 3), "usleep <- nap <- qsort");
  EXPECT_EQ(
      InnermostFrames(
          std::vector<NamedFrame>{{"main"}, {"__libc_start_main", true}, {"_start", true}}, 3),
      "main <- __libc_start_main <- _start");
}

TEST(InnermostFramesTest, NeighboursWithoutNamesAreOne) {
  const std::vector<NamedFrame> frames = {
      {"fdatasync", true}, {"[postgres]"}, {"[postgres]"}, {"XLogFlush"}};
  EXPECT_EQ(InnermostFrames(frames, 3), "fdatasync <- [postgres] <- XLogFlush");
}

}  // namespace
}  // namespace analyze
