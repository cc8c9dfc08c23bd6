// SPDX-License-Identifier: BSD-2-Clause
#include "provider/user_budget.h"

#include <gtest/gtest.h>

namespace provider {
namespace {

TEST(UserBudgetTest, LimitsEachUserAndKeepsAQuarterForRoot) {
  UserBudget budget(100, 50);
  EXPECT_FALSE(budget.Take(1, 51));
  EXPECT_TRUE(budget.Take(1, 50));
  EXPECT_FALSE(budget.Take(1, 1));
  EXPECT_EQ(budget.TakeUpTo(2, 50), 25u);
  EXPECT_FALSE(budget.Take(3, 1));
  EXPECT_TRUE(budget.Take(0, 25));
  EXPECT_FALSE(budget.Take(0, 1));
  budget.Return(1, 50);
  EXPECT_EQ(budget.used(), 50u);
  EXPECT_TRUE(budget.Take(3, 50));
}

TEST(UserBudgetTest, AShareReturnsItsBytes) {
  const auto budget = std::make_shared<UserBudget>(100, 50);
  {
    BudgetShare share(budget, 1);
    EXPECT_TRUE(share.Take(30));
    EXPECT_EQ(share.TakeUpTo(30), 20u);
    EXPECT_EQ(budget->used(), 50u);
  }
  EXPECT_EQ(budget->used(), 0u);
}

TEST(FairSharesTest, DividesAmongUsersFirst) {
  const std::vector<Demand> demands = {{1, 100}, {1, 100}, {1, 10}, {2, 100}, {3, 5}};
  EXPECT_EQ(FairShares(demands, 105), (std::vector<size_t>{20, 20, 10, 50, 5}));
  EXPECT_EQ(FairShares(demands, 1000), (std::vector<size_t>{100, 100, 10, 100, 5}));
  EXPECT_EQ(FairShares(std::vector<Demand>(), 10), std::vector<size_t>());
}

}  // namespace
}  // namespace provider
