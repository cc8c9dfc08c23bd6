// SPDX-License-Identifier: BSD-2-Clause
#include "schema/script_frame.h"

#include <gtest/gtest.h>

namespace schema {
namespace {

TEST(ScriptFrameTest, AFrameHasItsFunctionAndLine) {
  const uint64_t function = ScriptFunctionId("commit", "/srv/app.py", 40);
  const uint64_t frame = ScriptFrame(function, 40, 47);
  EXPECT_EQ(ScriptFunctionOf(frame), function);
  EXPECT_EQ(ScriptLineOf(frame, 40), 47u);
  EXPECT_EQ(ScriptLineOf(ScriptFrame(function, 40, 40), 40), 40u);
}

TEST(ScriptFrameTest, LinesOutsideOfTheFunctionAreNotKnown) {
  const uint64_t function = ScriptFunctionId("commit", "/srv/app.py", 40);
  EXPECT_EQ(ScriptFrame(function, 40, 39), function);
  EXPECT_EQ(ScriptFrame(function, 40, 40 + kScriptLines), function);
  EXPECT_EQ(ScriptLineOf(function, 40), 0u);
}

TEST(ScriptFrameTest, IsNoAddress) {
  EXPECT_TRUE(IsScriptFrame(ScriptFunctionId("f", "f.py", 1)));
  EXPECT_FALSE(IsKernelAddress(ScriptFunctionId("f", "f.py", 1)));
  EXPECT_FALSE(IsScriptFrame(0x7fff'ffff'ffff));
  EXPECT_FALSE(IsScriptFrame(0xffff'ffff'8100'0000));
}

TEST(ScriptFrameTest, NameFileAndFirstLineDistinguishFunctions) {
  const uint64_t one = ScriptFunctionId("ab", "c", 1);
  EXPECT_EQ(one, ScriptFunctionId("ab", "c", 1));
  EXPECT_NE(one, ScriptFunctionId("a", "bc", 1));
  EXPECT_NE(one, ScriptFunctionId("ab", "c", 2));
  EXPECT_NE(one, ScriptFunctionId("ab", "d", 1));
}

}  // namespace
}  // namespace schema
