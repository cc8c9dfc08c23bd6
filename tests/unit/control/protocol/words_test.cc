// SPDX-License-Identifier: BSD-2-Clause
#include "control/protocol/words.h"

#include <gtest/gtest.h>

namespace control {
namespace {

TEST(WordsTest, AreTheDocuments) {
  const char* const states[] = {"READY",    "INITIALIZED", "STARTING",   "STARTED",
                                "STOPPING", "STOPPED",     "TERMINATING"};
  for (int number = 1; number <= 7; ++number) {
    EXPECT_EQ(Name(static_cast<SessionState>(number)), states[number - 1]);
  }
  for (const char* mode : {"ONESHOT", "CIRCULAR", "STREAMING"}) {
    ASSERT_TRUE(request::FindBufferingMode(mode));
    EXPECT_EQ(Name(*request::FindBufferingMode(mode)), mode);
  }
  for (const char* disposition : {"CLEAR_ALL", "CLEAR_NONDURABLE", "RETAIN"}) {
    ASSERT_TRUE(request::FindBufferDisposition(disposition));
    EXPECT_EQ(Name(*request::FindBufferDisposition(disposition)), disposition);
  }
  EXPECT_FALSE(request::FindBufferingMode("circular"));
  EXPECT_FALSE(request::FindBufferDisposition(""));
}

}  // namespace
}  // namespace control
