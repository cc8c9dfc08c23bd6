// SPDX-License-Identifier: BSD-2-Clause
// Limits in bytes that providers of several users share.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace provider {

// Divides `total` bytes among users. Users other than root get at most `of_user` each and three
// quarters of the total together, so that root always has a quarter. Thread-safe.
class UserBudget {
 public:
  UserBudget(size_t total, size_t of_user) : total_(total), of_user_(of_user) {}

  // False, without a change, if `bytes` exceed the rest of the user's share.
  bool Take(uid_t user, size_t bytes);
  // Takes as many bytes as possible, at most `wanted`.
  size_t TakeUpTo(uid_t user, size_t wanted);
  void Return(uid_t user, size_t bytes);
  size_t used() const;

 private:
  size_t Available(uid_t user) const;

  const size_t total_;
  const size_t of_user_;
  mutable std::mutex mutex_;
  std::map<uid_t, size_t> used_;
  size_t sum_ = 0;
  size_t sum_of_others_ = 0;  // users other than root
};

// Bytes taken from a UserBudget. The destructor returns them.
class BudgetShare {
 public:
  BudgetShare(std::shared_ptr<UserBudget> budget, uid_t user)
      : budget_(std::move(budget)), user_(user) {}
  BudgetShare(const BudgetShare&) = delete;
  BudgetShare& operator=(const BudgetShare&) = delete;
  ~BudgetShare() {
    if (budget_) budget_->Return(user_, bytes_);
  }

  bool Take(size_t bytes) {
    if (budget_ && !budget_->Take(user_, bytes)) return false;
    bytes_ += bytes;
    return true;
  }
  size_t TakeUpTo(size_t wanted) {
    const size_t taken = budget_ ? budget_->TakeUpTo(user_, wanted) : wanted;
    bytes_ += taken;
    return taken;
  }
  size_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<UserBudget> budget_;  // null: unlimited
  uid_t user_;
  size_t bytes_ = 0;
};

// The request of one provider.
struct Demand {
  uid_t user = 0;
  size_t bytes = 0;
};
// Max-min fair shares of `limit`, first among users, then among the demands of each user. No share
// exceeds its demand.
std::vector<size_t> FairShares(std::span<const Demand> demands, size_t limit);

}  // namespace provider
