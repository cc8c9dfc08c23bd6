// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/name_table.h"

#include <gtest/gtest.h>

#include "measure/capture.h"

namespace measure {
namespace {

TEST(NameTableTest, ATextHasOneNumberAndThoseBeyondTheLimitShareOne) {
  NameTable names(3);
  EXPECT_EQ(names.Add("a"), 0u);
  EXPECT_EQ(names.Add("b"), 1u);
  EXPECT_EQ(names.Add("a"), 0u);
  EXPECT_EQ(names.Add("c"), 2u);
  EXPECT_EQ(names.Add("d"), 2u);
  EXPECT_EQ(names.Add("b"), 1u);
  EXPECT_EQ(names[1], "b");
  EXPECT_EQ(names[2], kOthers);
}

}  // namespace
}  // namespace measure
