// SPDX-License-Identifier: BSD-2-Clause
#include "measure/group_name.h"

#include <gtest/gtest.h>

namespace measure {
namespace {

TEST(GroupNameTest, RunsOfDigitsAreReplaced) {
  EXPECT_EQ(FoldDigits("kworker/3:1"), "kworker/#:#");
  EXPECT_EQ(FoldDigits("kworker/0:12"), "kworker/#:#");
  EXPECT_EQ(FoldDigits("worker"), "worker");
  EXPECT_EQ(FoldDigits(""), "");
  EXPECT_EQ(FoldDigits("007"), "#");
}

TEST(GroupNameTest, OtherBytesStayAndLengthIsBounded) {
  EXPECT_EQ(FoldDigits("\xff\x01 7"), "\xff\x01 #");
  EXPECT_EQ(FoldDigits(std::string(100'000, 'x')).size(), kMaxFoldedBytes);
  EXPECT_EQ(FoldDigits(std::string(100'000, '1')), "#");
}

}  // namespace
}  // namespace measure
