// SPDX-License-Identifier: BSD-2-Clause
// Finds renamed groups by their activity.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace comparison {

class Groups;

class Similarity {
 public:
  // `groups` has to outlive it.
  explicit Similarity(const Groups& groups);

  // Groups that are in the base alone, in most of its captures, and in the new captures alone.
  const std::vector<size_t>& gone() const { return gone_; }
  const std::vector<size_t>& added() const { return added_; }

  // The distance of the group `added` of the new captures from `gone` of the base, by number of
  // threads, CPU time, wakeups and wakers. Nothing if they are not the same. Groups without a
  // common name have a stricter limit.
  std::optional<double> Distance(size_t gone, size_t added) const;

 private:
  struct Activity {
    double threads = 0;
    double cpu = 0;      // ms/s
    double wakeups = 0;  // per s
    std::set<std::string> wakers;
  };
  Activity ActivityOf(size_t group, size_t first, size_t last) const;

  const Groups& groups_;
  std::vector<size_t> gone_;
  std::vector<size_t> added_;
  std::set<std::string> lasting_;     // processes of both sides
  std::vector<Activity> activities_;  // by position of the group; only of gone and added ones
};

}  // namespace comparison
