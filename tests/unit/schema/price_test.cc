// SPDX-License-Identifier: BSD-2-Clause
#include "schema/price.h"

#include <gtest/gtest.h>

#include <set>

#include "fxt_record/event.h"
#include "schema/event_info.h"

namespace schema {
namespace {

TEST(PriceTest, EveryCategoryHasOne) {
  for (uint32_t category = 0; category < FXR_CATEGORIES; ++category) {
    const Price* const price = FindPrice(CategoryName(category));
    ASSERT_NE(price, nullptr) << CategoryName(category);
    EXPECT_FALSE(price->of.empty());
  }
  EXPECT_EQ(FindPrice("no such category"), nullptr);
}

TEST(PriceTest, EveryOptionThatAddsEventsHasOne) {
  for (const char* option : {"stack:off", "stack:wake", "stack:on", "-z", "--usdt"}) {
    EXPECT_NE(FindPrice(option), nullptr) << option;
  }
}

TEST(PriceTest, KnownPricesAreValid) {
  std::set<std::string_view> names;
  for (const Price& price : AllPrices()) {
    EXPECT_TRUE(names.insert(price.name).second) << price.name << " is there twice";
    EXPECT_GE(price.added_ns, -1);
    EXPECT_TRUE(price.bytes == -1 || price.bytes > 0) << price.name;
  }
}

}  // namespace
}  // namespace schema
