// SPDX-License-Identifier: BSD-2-Clause
#include "view/query_string.h"

#include <gtest/gtest.h>

#include "view/lane_id.h"

namespace view {
namespace {

TEST(QueryStringTest, FindsAndDecodesParameters) {
  const QueryString query("from=-5&text=a%20b%2Bc+d&odd=%&end=%4");
  EXPECT_EQ(query.Get<int64_t>("from"), -5);
  EXPECT_FALSE(query.Get<uint64_t>("from"));
  EXPECT_EQ(query.Text("text"), "a b+c d");
  EXPECT_EQ(query.Text("odd"), "%");
  EXPECT_EQ(query.Text("end"), "%4");
  EXPECT_EQ(query.Text("fro"), "");
}

TEST(QueryStringTest, ParsesLaneIds) {
  EXPECT_EQ(ParseLaneId("s12")->number, 12U);
  EXPECT_EQ(ParseLaneId("s12")->kind, LaneKind::kStates);
  for (const char* text : {"", "s", "x1", "s-1", "s1x", "s99999999999"})
    EXPECT_FALSE(ParseLaneId(text)) << text;
}

}  // namespace
}  // namespace view
