// SPDX-License-Identifier: BSD-2-Clause
// Which processes have new mappings, from perf's records of tasks.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "perf/record/record_decoder.h"

namespace capture {

// Numbers are process ids (tgid).
class ProcessChanges {
 public:
  // Makes the child known as a copy of its parent. Returns false if that is not known itself.
  using Copy = std::function<bool(uint32_t parent, uint32_t child)>;

  void Add(const perf::Record& record);
  // A child has its parent's mappings until it executes a program. Children of parents that changed
  // as well, or cannot be copied, count as changed.
  void TakeForks(const Copy& copy);

  const std::unordered_set<uint32_t>& changed() const { return changed_; }
  const std::unordered_set<uint32_t>& exited() const { return exited_; }
  void ClearChanged() { changed_.clear(); }
  void ClearExited() { exited_.clear(); }

 private:
  std::unordered_set<uint32_t> changed_;  // have new mappings
  std::vector<std::pair<uint32_t, uint32_t>> forks_;
  std::unordered_set<uint32_t> exited_;
};

}  // namespace capture
