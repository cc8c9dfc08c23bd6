// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/string_pool.h"

#include <gtest/gtest.h>

#include <string>

namespace fxt {
namespace {

TEST(StringPoolTest, IndexesBelongToATable) {
  StringPool pool;
  const auto id = pool.Declare("waker");
  const auto place = pool.PlaceOf("name");
  EXPECT_EQ(pool.Index(id, 0), 0);
  EXPECT_EQ(pool.AddTo(0, place), 1);
  EXPECT_EQ(pool.AddTo(0, StringPool::PlaceOf(id)), 2);
  EXPECT_EQ(pool.AddTo(5, StringPool::PlaceOf(id)), 1);
  EXPECT_EQ(pool.Index(id, 0), 2);
  EXPECT_EQ(pool.Index(id, 5), 1);
  EXPECT_EQ(pool.Index(place, 5), 0);
  pool.EmptyTable(0);
  EXPECT_EQ(pool.Index(id, 0), 0);
  EXPECT_EQ(pool.Index(place, 0), 0);
  EXPECT_EQ(pool.Index(id, 5), 1);
}

TEST(StringPoolTest, GivesTheSamePlaceToTheSameText) {
  StringPool pool;
  const auto place = pool.PlaceOf("name");
  EXPECT_EQ(pool.PlaceOf(std::string("na") + "me"), place);
  EXPECT_NE(pool.PlaceOf("other"), place);
  EXPECT_EQ(pool.Text(place), "name");
  EXPECT_EQ(pool.interned(), 2u);
}

TEST(StringPoolTest, EmptyStringHasNoIndex) {
  StringPool pool;
  EXPECT_EQ(pool.AddTo(0, StringPool::PlaceOf(pool.Declare(""))), 0);
  EXPECT_EQ(pool.AddTo(0, pool.PlaceOf("")), 0);
  EXPECT_EQ(pool.AddTo(0, StringPool::PlaceOf(StringId())), 0);
}

TEST(StringPoolTest, RepairsAndCutsTexts) {
  StringPool pool;
  const std::string long_text(40'000, 'x');
  EXPECT_EQ(pool.Text(StringPool::PlaceOf(pool.Declare(long_text))).size(), kMaxStringBytes);
  EXPECT_EQ(pool.Text(pool.PlaceOf(long_text)).size(), kMaxStringBytes);
  EXPECT_EQ(pool.Text(StringPool::PlaceOf(pool.Declare("\xff"))), "\xef\xbf\xbd");
  EXPECT_EQ(pool.Text(pool.PlaceOf("\xff")), "\xef\xbf\xbd");
}

TEST(StringPoolTest, KeepsItsLimits) {
  StringPool pool({.strings = 2, .bytes = 10});
  EXPECT_NE(pool.PlaceOf("12345678"), StringPool::kNowhere);
  EXPECT_EQ(pool.PlaceOf("123"), StringPool::kNowhere) << "bytes";
  EXPECT_NE(pool.PlaceOf("1"), StringPool::kNowhere);
  EXPECT_EQ(pool.PlaceOf("2"), StringPool::kNowhere) << "number";
  EXPECT_NE(pool.PlaceOf("12345678"), StringPool::kNowhere) << "what is known stays";
}

TEST(StringPoolTest, TableHolds32767) {
  StringPool pool({.strings = 40'000});
  for (unsigned n = 1; n <= 32'767; ++n) {
    ASSERT_EQ(pool.AddTo(0, pool.PlaceOf("string " + std::to_string(n))), n);
  }
  const auto one_more = pool.PlaceOf("one more");
  EXPECT_EQ(pool.AddTo(0, one_more), 0);
  EXPECT_EQ(pool.AddTo(1, one_more), 1);
}

TEST(StringPoolTest, PurgeKeepsDeclaredStrings) {
  StringPool pool({.strings = 1});
  const auto id = pool.Declare("waker");
  pool.AddTo(0, StringPool::PlaceOf(id));
  pool.AddTo(3, pool.PlaceOf("name"));
  pool.Purge();
  EXPECT_EQ(pool.Index(id, 0), 0);
  EXPECT_EQ(pool.Text(StringPool::PlaceOf(id)), "waker");
  EXPECT_EQ(pool.interned(), 0u);
  const auto other = pool.PlaceOf("other");
  ASSERT_NE(other, StringPool::kNowhere);
  EXPECT_EQ(pool.Index(other, 3), 0);
  EXPECT_EQ(pool.AddTo(3, other), 1);
}

}  // namespace
}  // namespace fxt
