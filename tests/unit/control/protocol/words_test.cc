// SPDX-License-Identifier: BSD-2-Clause
#include "control/protocol/words.h"

#include <gtest/gtest.h>

namespace control {
namespace {

TEST(WordsTest, StatesHaveTheNamesAndNumbersOfTheDocument) {
  const char* const states[] = {"READY",    "INITIALIZED", "STARTING",   "STARTED",
                                "STOPPING", "STOPPED",     "TERMINATING"};
  for (int number = 1; number <= 7; ++number) {
    EXPECT_EQ(Name(static_cast<SessionState>(number)), states[number - 1]);
  }
}

TEST(WordsTest, KindsOfMarksAreFoundByTheirNames) {
  for (const char* kind : {"BEGIN", "END", "INSTANT", "COUNTER"}) {
    ASSERT_TRUE(FindMarkKind(kind));
    EXPECT_EQ(Name(*FindMarkKind(kind)), kind);
  }
  EXPECT_FALSE(FindMarkKind("begin"));
}

}  // namespace
}  // namespace control
