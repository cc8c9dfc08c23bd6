// SPDX-License-Identifier: BSD-2-Clause
// Numbers the values of the columns of a thread: tid, pid, names and koid.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "fxt/format.h"
#include "fxt/hash_factor.h"
#include "tables/rows/cell.h"
#include "tables/rows/schema.h"
#include "tables/task_names.h"

namespace tables {

// A number refers to the cells of a thread at the time of the call, also after the thread gets
// another name.
class TaskCells {
 public:
  // Largest number. Each takes about 200 bytes.
  static constexpr uint32_t kMost = uint32_t{1} << 20;

  // `names` must outlive it.
  explicit TaskCells(const TaskNames& names) : names_(names) {}
  TaskCells(const TaskCells&) = delete;
  TaskCells& operator=(const TaskCells&) = delete;

  // `process`: see TaskNames::ProcessOf(). 0 if there is no room for more.
  uint32_t NumberOf(fxt::Koid thread, const std::optional<fxt::Koid>& process) {
    // Columns with a known process and those without one have different cells.
    const uint64_t key = thread * 2 + process.has_value();
    Recent& recent = recent_[key * 0x9e3779b97f4a7c15 >> (64 - kRecentBits)];
    if (recent.number != 0 && recent.thread == thread && recent.process == process &&
        recent.version == names_.version()) [[likely]] {
      return recent.number;
    }
    recent = {thread, process, names_.version(), Find(thread, process)};
    return recent.number;
  }
  // No thread; its cells are NULL.
  static constexpr uint32_t kNone = 0;
  // kTaskCellCount of them, for numbers that NumberOf() returned, and kNone.
  const Cell* cells(uint64_t number) const { return cells_[number].data(); }
  bool is_full() const { return is_full_; }

 private:
  static constexpr unsigned kRecentBits = 11;
  using Cells = std::array<Cell, kTaskCellCount>;
  struct Recent {
    fxt::Koid thread = 0;
    std::optional<fxt::Koid> process = std::nullopt;
    uint64_t version = 0;
    uint32_t number = 0;
  };
  // Texts by their addresses: the pool has each text once.
  using Key = std::array<int64_t, kTaskCellCount + 1>;
  struct KeyHash {
    size_t operator()(const Key& key) const {
      const uint64_t factor = fxt::HashFactor();
      uint64_t hash = factor;
      for (const int64_t part : key) {
        hash = fxt::AddToHash(hash, static_cast<uint64_t>(part), factor);
      }
      return hash;
    }
  };
  uint32_t Find(fxt::Koid thread, const std::optional<fxt::Koid>& process);

  const TaskNames& names_;
  std::array<Recent, size_t{1} << kRecentBits> recent_;
  std::unordered_map<Key, uint32_t, KeyHash> numbers_;
  std::vector<Cells> cells_{Cells{}};
  bool is_full_ = false;
};

}  // namespace tables
