// SPDX-License-Identifier: BSD-2-Clause
// Whether a group under another name is the same one.
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

  // How far the group of the new captures `added` is from `gone` of the base, by number of threads,
  // CPU time, wakeups and who wakes whom; nothing when they are not the same. Those that have
  // nothing of their names in common have to be nearer.
  std::optional<double> Distance(size_t gone, size_t added) const;

 private:
  struct Picture {
    double threads = 0;
    double cpu = 0;      // ms/s
    double wakeups = 0;  // per s
    std::set<std::string> neighbours;
  };
  Picture Draw(size_t group, size_t first, size_t last) const;

  const Groups& groups_;
  std::vector<size_t> gone_;
  std::vector<size_t> added_;
  std::set<std::string> lasting_;  // processes of both sides
  std::vector<Picture> pictures_;  // by number of the group; empty ones for the others
};

}  // namespace comparison
