// SPDX-License-Identifier: BSD-2-Clause
// What the short records of a file stand for: those that fxt::Reader::VisitSchedulingRecords()
// hands over.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "facts/timeline/timeline_state.h"
#include "fxt/reader.h"

namespace facts {

// Keeps what was looked up of providers' tables, for as long as they define nothing further.
class FastPathTables {
 public:
  struct Slot {
    ThreadIndex index = kNoThread;  // kNoThread: its records are not plain yet
    fxt::Koid process = 0;
  };
  struct Table {
    const fxt::ReaderProvider* provider = nullptr;
    uint64_t definitions = 0;  // as of so many
    bool is_recorder = false;
    uint16_t waker_name = 0;  // that of wakers; 0: not looked up yet
    std::array<Slot, 256> slots;
  };

  // Valid up to the next call.
  Table& Of(const fxt::ReaderProvider& provider) {
    if (last_ == nullptr || last_->provider != &provider ||
        last_->definitions != provider.definitions()) [[unlikely]] {
      last_ = &Find(provider);
    }
    return *last_;
  }

  // Of a slot that is not plain yet. False: it still is not, since its thread is not in the
  // provider's table, or has done nothing yet, or is the recorder's stand-in for lost events.
  [[gnu::noinline]] static bool Resolve(Table& table, uint8_t slot, const TimelineState& timeline);
  // Whether a string is the name of the argument that tells a waker.
  static bool IsWaker(Table& table, uint16_t name) {
    return name == table.waker_name || LookUpWaker(table, name);
  }

 private:
  // A recorder writes by turns as several, where there are more threads than a table has room for.
  static constexpr size_t kMaxTables = 24;

  [[gnu::noinline]] Table& Find(const fxt::ReaderProvider& provider);
  [[gnu::noinline]] static bool LookUpWaker(Table& table, uint16_t name);

  std::vector<std::unique_ptr<Table>> tables_;
  Table* last_ = nullptr;  // that was asked for
  size_t next_ = 0;        // to be given up
};

}  // namespace facts
