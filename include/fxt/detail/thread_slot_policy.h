// SPDX-License-Identifier: BSD-2-Clause
// Decides which threads get one of the 255 indexes of a thread table, and in which table ("Thread
// references" of the format document).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fxt {

// Identifies a thread for the caller.
struct ThreadKey {
  // A small number, unique among living threads. The handle of a dead thread can be reused.
  uint32_t handle = 0;
  uint64_t process = 0;  // koids
  uint64_t thread = 0;
};

// Weights in bytes of output. tests/bench/thread_slots.cc simulates them; the defaults are its
// optimum.
struct ThreadSlotOptions {
  // Tables in use at the same time, 1..ThreadSlotPolicy::kMaxTables.
  unsigned tables = 16;
  // The cost of adding a thread to a table, for comparing tables. The record has 24 bytes but
  // serves later records too. At most kBytesPerInlineRef.
  unsigned registration_weight = 8;
  // A new table is opened after inline references took this many bytes for the table itself and for
  // each live thread of the current one, some of which are added again.
  unsigned opening_weight = 300;
  unsigned opening_weight_per_thread = 8;
};

// Assigns threads to indexes and tables; its owner writes the records. An index stays with its
// thread, because readers disagree on the meaning of a second definition. A table with 255 entries
// is therefore full for good, and further threads need another table, that is another provider.
// A few tables are in use side by side: returning to one costs a provider section record (8 bytes),
// where an inline reference costs 16. When all are full, a new table replaces the least recently
// used one.
class ThreadSlotPolicy {
 public:
  static constexpr unsigned kMaxTables = 16;
  static constexpr size_t kBytesPerSection = 8;
  static constexpr size_t kBytesPerInlineRef = 16;
  // Threads with a greater handle are always inline.
  static constexpr uint32_t kMaxHandle = (1u << 22) - 1;

  struct Place {
    uint8_t index = 0;   // 0: inline
    bool fresh = false;  // a thread record has to define the index first
  };

  struct Stats {
    uint64_t tables_opened = 0;
    uint64_t registrations = 0;
    uint64_t inline_references = 0;
  };

  explicit ThreadSlotPolicy(const ThreadSlotOptions& options = {});

  // The table that the last record used, 0..kMaxTables-1.
  uint8_t current() const { return current_; }

  // The index of `thread` in the current table, 0 if it has none.
  uint8_t Find(const ThreadKey& thread) const {
    if (thread.handle >= threads_.size()) return 0;
    const Entry& entry = threads_[thread.handle];
    if (entry.thread != thread.thread || entry.process != thread.process) return 0;
    return entry.index[current_];
  }

  // The same for a handle that was not reused without Forget(). One load.
  uint8_t Find(uint32_t handle) const {
    return handle < threads_.size() ? threads_[handle].index[current_] : uint8_t{0};
  }

  // Inline references since the last opening cost enough: call OpenTable() before the next Put().
  bool wants_fresh_table() const { return wasted_bytes_ > opening_bytes_; }

  // Makes an empty table the current one and returns it. Replaces the least recently used one if
  // all are in use.
  uint8_t OpenTable();

  // Drops every table.
  void Clear();

  // Chooses the table in which a record with `threads` (one or two) is cheapest and makes it the
  // current one. Gives an index there to threads that have none, while the table has room. `places`
  // has as many elements as `threads`.
  void Put(std::span<const ThreadKey> threads, std::span<Place> places);

  // The thread died. Its indexes are not reused.
  void Forget(uint32_t handle);

  const Stats& stats() const { return stats_; }

 private:
  static constexpr uint32_t kNoHandle = 0xffffffff;

  struct Entry {
    uint64_t process = 0;
    uint64_t thread = 0;
    std::array<uint8_t, kMaxTables> index{};
  };
  struct Table {
    unsigned live = 0;  // threads with an index that were not forgotten
    uint64_t left_at = 0;
    std::array<uint32_t, 1 << 8> owner{};  // handle by index, which has 8 bits
  };

  Entry* EntryOf(const ThreadKey& thread);
  void Release(Entry& entry);
  void EmptyTable(uint8_t table);
  void MakeCurrent(uint8_t table);
  uint8_t CheapestTable(std::span<const ThreadKey> threads);
  void SetOpeningBytes();

  const ThreadSlotOptions options_;
  std::vector<Entry> threads_;  // by handle
  std::vector<Table> tables_;
  // Used indexes by table. A closed table counts as full, so it never looks cheap. Kept together so
  // that comparing all tables touches few cache lines.
  std::array<uint8_t, kMaxTables> used_{};
  uint8_t current_ = 0;
  uint64_t clock_ = 0;  // counts changes of the current table
  uint64_t wasted_bytes_ = 0;
  uint64_t opening_bytes_ = 0;
  Stats stats_;
};

}  // namespace fxt
