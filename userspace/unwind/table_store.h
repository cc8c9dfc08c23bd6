// SPDX-License-Identifier: BSD-2-Clause
// Keeps unwind tables and lists of mappings in the memory that the BPF programs read
// (include/fxt_record/unwind.h). When the memory is full, the least used tables go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "fxt_record/unwind.h"
#include "unwind/unwind_table.h"

namespace unwind {

// Consecutive elements of an array.
struct Extent {
  uint32_t first = 0;
  uint32_t count = 0;
};

// Allocates extents, first fit. A freed extent can be allocated again after kGrace, because a BPF
// program may still read it.
class ExtentAllocator {
 public:
  static constexpr uint64_t kGrace = 200'000'000;  // ns

  ExtentAllocator(uint32_t first, uint32_t count) { free_.emplace(first, count); }
  // `now` is ns of any clock that does not go back. Empty if there is no room.
  std::optional<Extent> Allocate(uint32_t count, uint64_t now);
  void Free(Extent extent, uint64_t now);
  // Elements that wait for their grace period.
  uint32_t waiting() const { return waiting_count_; }

 private:
  struct Waiting {
    Extent extent;
    uint64_t until = 0;
  };
  void Release(Extent extent);

  std::map<uint32_t, uint32_t> free_;  // count by first element; no two adjoin
  std::deque<Waiting> waiting_;        // by time
  uint32_t waiting_count_ = 0;
};

class TableStore {
 public:
  struct Memory {
    std::span<fxr_u32> words;
    // Makes words accessible before the first use; false if there is no memory. Null: they are.
    std::function<bool(uint32_t first, uint32_t count)> provide = nullptr;
    // Writes words from `first` on. Null: they are copied.
    std::function<void(uint32_t first, std::span<const fxr_u32> words)> write = nullptr;
    std::span<fxr_unwind_module> modules;
    std::span<fxr_unwind_range> ranges;
  };

  explicit TableStore(const Memory& memory);

  // A module without a table yet; empty if all numbers are in use.
  std::optional<uint32_t> AddModule();
  // The module must not be in any list of mappings.
  void RemoveModule(uint32_t module, uint64_t now);
  // Puts the module's table into the memory. If there is no room, unloads the tables that were used
  // least recently, but none that was used at `use_time` or later. Returns false if that does not
  // suffice now.
  bool Load(uint32_t module, const UnwindTable& table, uint32_t use_time, uint64_t now);
  // The same for a table whose words `fill` puts, each piece at its position; false if that fails.
  using Put = std::function<void(size_t at, std::span<const fxr_u32> words)>;
  using Fill = std::function<bool(const Put& put)>;
  bool Load(uint32_t module, const UnwindTable::Shape& shape, size_t words, const Fill& fill,
            uint32_t use_time, uint64_t now);
  bool IsLoaded(uint32_t module) const { return memory_.modules[module].pages != 0; }
  // Time of the last use as the programs wrote it; 0: none.
  uint32_t UsedAt(uint32_t module) const;

  // A copy of `ranges` for the programs; empty if there is no room. Sorted by address.
  std::optional<Extent> AddRanges(std::span<const fxr_unwind_range> ranges, uint64_t now);
  void RemoveRanges(Extent extent, uint64_t now) { ranges_.Free(extent, now); }

  uint64_t table_bytes() const { return table_words_ * sizeof(fxr_u32); }
  uint64_t max_table_bytes() const { return memory_.words.size_bytes(); }
  uint32_t loaded() const { return loaded_; }
  uint64_t unloaded() const { return unloaded_; }  // to free memory, so far

 private:
  void Unload(uint32_t module, uint64_t now);
  // The loaded module that was used least recently, before `use_time`.
  std::optional<uint32_t> LeastUsed(uint32_t use_time) const;

  Memory memory_;
  ExtentAllocator words_;
  ExtentAllocator ranges_;
  // By module; count 0: not loaded. Number 0 stands for code without tables. Grows up to
  // memory_.modules.
  std::vector<Extent> extents_;
  std::deque<uint32_t> free_modules_;  // used again in this order, when all others are in use
  uint64_t table_words_ = 0;
  uint32_t loaded_ = 0;
  uint64_t unloaded_ = 0;
};

}  // namespace unwind
