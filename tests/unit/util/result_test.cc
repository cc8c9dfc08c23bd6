// SPDX-License-Identifier: BSD-2-Clause
#include "util/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace util {
namespace {

Result<std::unique_ptr<int>> Half(int number) {
  if (number % 2 != 0) return Error{"odd", "give an even one"};
  return std::make_unique<int>(number / 2);
}

TEST(ResultTest, HoldsAValue) {
  auto half = Half(8);
  ASSERT_TRUE(half.ok());
  EXPECT_TRUE(static_cast<bool>(half));
  EXPECT_EQ(**half, 4);
  EXPECT_EQ(*half->get(), 4);
  std::unique_ptr<int> taken = std::move(*half);
  EXPECT_EQ(*taken, 4);
}

TEST(ResultTest, HoldsAnError) {
  auto half = Half(7);
  ASSERT_FALSE(half.ok());
  EXPECT_FALSE(static_cast<bool>(half));
  EXPECT_EQ(half.error().message, "odd");
  Error error = half.TakeError();
  EXPECT_EQ(error.message, "odd");
  EXPECT_EQ(error.hint, "give an even one");
}

TEST(ResultTest, StatusIsDoneOrAnError) {
  EXPECT_TRUE(Ok().ok());
  Status failed = Error{"no", ""};
  EXPECT_FALSE(failed.ok());
}

}  // namespace
}  // namespace util
