// SPDX-License-Identifier: BSD-2-Clause
// Which threads get one of the 255 indexes of a thread table ("Thread references" of the format
// document), and in which table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fxt {

// A thread as the caller knows it.
struct ThreadKey {
  // A small number, unique among the threads that live now; a dead thread's can be given again.
  uint32_t handle = 0;
  uint64_t process = 0;  // koids
  uint64_t thread = 0;
};

// Weights in bytes of output. The defaults were found with the simulation in
// tests/bench/thread_slots.cc.
struct ThreadSlotOptions {
  // Tables in use at a time, 1..ThreadSlotPolicy::kMaxTables.
  unsigned tables = 16;
  // What entering a thread in a table is taken to cost when tables are compared. The record has 24
  // bytes, but it serves later records as well. At most kBytesPerInlineRef.
  unsigned registration_weight = 8;
  // A fresh table is opened when as many bytes as these went into inline references: for the table
  // itself, and for each live thread of the current one, since some of these will be entered again.
  unsigned opening_weight = 300;
  unsigned opening_weight_per_thread = 8;
};

// An index stays with its thread: readers disagree on what a second definition means. So a table
// with 255 entries is full for good, and what helps is another table, that is another provider. A
// few tables are kept in use side by side: returning to one costs a provider section record (8
// bytes), where an inline reference costs 16. When all are full, the one unused for the longest
// time makes room for a fresh one.
//
// Decides and keeps the books; its owner writes the records.
class ThreadSlotPolicy {
 public:
  static constexpr unsigned kMaxTables = 16;
  static constexpr size_t kBytesPerSection = 8;
  static constexpr size_t kBytesPerInlineRef = 16;
  // Threads with a greater handle always go inline.
  static constexpr uint32_t kMaxHandle = (1u << 22) - 1;

  struct Place {
    uint8_t index = 0;   // 0: inline
    bool fresh = false;  // the index has to be defined by a thread record first
  };

  struct Stats {
    uint64_t tables_opened = 0;
    uint64_t registrations = 0;
    uint64_t inline_references = 0;
  };

  explicit ThreadSlotPolicy(const ThreadSlotOptions& options = {});

  // The table that the last record used, 0..kMaxTables-1.
  uint8_t current() const { return current_; }

  // Index of `thread` in the current table, 0 if it has none.
  uint8_t Find(const ThreadKey& thread) const {
    if (thread.handle >= threads_.size()) return 0;
    const Entry& entry = threads_[thread.handle];
    if (entry.thread != thread.thread || entry.process != thread.process) return 0;
    return entry.index[current_];
  }

  // The same for a handle that was not given to another thread without Forget(). One load.
  uint8_t Find(uint32_t handle) const {
    return handle < threads_.size() ? threads_[handle].index[current_] : uint8_t{0};
  }

  // Enough was lost to inline references since the last opening: call OpenTable() before the next
  // Put().
  bool wants_fresh_table() const { return wasted_bytes_ > opening_bytes_; }

  // Makes an empty table the current one and returns it. If all were in use, the one left the
  // longest ago is given up for it.
  uint8_t OpenTable();

  // Gives up every table.
  void Clear();

  // Chooses the table in which a record that names `threads` (one or two) is cheapest, makes it the
  // current one, and gives threads that it does not hold an index there while it has any.
  // `places` gets as many elements as `threads` has.
  void Put(std::span<const ThreadKey> threads, std::span<Place> places);

  // The thread died. Its indexes are not used again.
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
    unsigned live = 0;  // threads not forgotten that have an index
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
  // Indexes given, by table. A table that is not open has none left either, and so never looks
  // cheap. Apart from the rest so that one glance at few cache lines compares all tables.
  std::array<uint8_t, kMaxTables> used_{};
  uint8_t current_ = 0;
  uint64_t clock_ = 0;  // counts changes of the current table
  uint64_t wasted_bytes_ = 0;
  uint64_t opening_bytes_ = 0;
  Stats stats_;
};

}  // namespace fxt
