// SPDX-License-Identifier: BSD-2-Clause
#include "provider/user_budget.h"

#include <algorithm>
#include <numeric>

namespace provider {
namespace {

// Max-min fair shares of `limit`.
std::vector<size_t> Divide(const std::vector<size_t>& wanted, size_t limit) {
  std::vector<size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&wanted](size_t a, size_t b) { return wanted[a] < wanted[b]; });
  std::vector<size_t> shares(wanted.size());
  size_t left = order.size();
  for (const size_t index : order) {
    shares[index] = std::min(wanted[index], limit / left--);
    limit -= shares[index];
  }
  return shares;
}

}  // namespace

size_t UserBudget::Available(uid_t user) const {
  const size_t left = total_ - sum_;
  if (user == 0) return left;
  const auto found = used_.find(user);
  const size_t own = of_user_ - std::min(of_user_, found == used_.end() ? 0 : found->second);
  const size_t of_others = total_ / 4 * 3;
  return std::min({left, own, of_others - std::min(of_others, sum_of_others_)});
}

size_t UserBudget::TakeUpTo(uid_t user, size_t wanted) {
  const std::lock_guard lock(mutex_);
  const size_t bytes = std::min(wanted, Available(user));
  if (bytes == 0) return 0;
  used_[user] += bytes;
  sum_ += bytes;
  if (user != 0) sum_of_others_ += bytes;
  return bytes;
}

bool UserBudget::Take(uid_t user, size_t bytes) {
  const size_t taken = TakeUpTo(user, bytes);
  if (taken == bytes) return true;
  Return(user, taken);
  return false;
}

void UserBudget::Return(uid_t user, size_t bytes) {
  if (bytes == 0) return;
  const std::lock_guard lock(mutex_);
  const auto found = used_.find(user);
  found->second -= bytes;
  if (found->second == 0) used_.erase(found);
  sum_ -= bytes;
  if (user != 0) sum_of_others_ -= bytes;
}

size_t UserBudget::used() const {
  const std::lock_guard lock(mutex_);
  return sum_;
}

std::vector<size_t> FairShares(std::span<const Demand> demands, size_t limit) {
  std::map<uid_t, std::vector<size_t>> by_user;  // indexes of demands
  for (size_t i = 0; i < demands.size(); ++i) by_user[demands[i].user].push_back(i);
  std::vector<size_t> wanted;
  for (const auto& [user, indexes] : by_user) {
    size_t sum = 0;
    for (const size_t index : indexes) sum += demands[index].bytes;
    wanted.push_back(sum);
  }
  const std::vector<size_t> of_users = Divide(wanted, limit);
  std::vector<size_t> shares(demands.size());
  size_t next_user = 0;
  for (const auto& [user, indexes] : by_user) {
    std::vector<size_t> own;
    for (const size_t index : indexes) own.push_back(demands[index].bytes);
    const std::vector<size_t> divided = Divide(own, of_users[next_user++]);
    for (size_t i = 0; i < indexes.size(); ++i) shares[indexes[i]] = divided[i];
  }
  return shares;
}

}  // namespace provider
