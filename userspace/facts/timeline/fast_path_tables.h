// SPDX-License-Identifier: BSD-2-Clause
// A cache of the thread tables of providers, for the fast path of a timeline.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "facts/timeline/timeline_state.h"
#include "fxt/reader.h"

namespace facts {

// Maps the slots of a provider's thread table to the indexes of a timeline. An entry is valid as
// long as the provider defines nothing further.
class FastPathTables {
 public:
  struct Slot {
    ThreadIndex index = kNoThread;  // kNoThread: its records take the general path
    fxt::Koid process = 0;
  };
  struct Table {
    const fxt::ReaderProvider* provider = nullptr;
    uint64_t definitions = 0;  // the number of definitions of which the slots are
    bool is_recorder = false;
    uint16_t waker_name = 0;  // the string index of "waker"; 0: not looked up yet
    uint16_t via_name = 0;    // the same of "via", and of its value "net_rx"
    uint16_t net_rx = 0;
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

  // Looks up a slot that has no index. False if its thread is not in the provider's table, has no
  // record yet, or is the recorder's stand-in for lost events.
  [[gnu::noinline]] static bool Resolve(Table& table, uint8_t slot, const TimelineState& timeline);
  // True if the string `name` is the name of the waker's argument.
  static bool IsWaker(Table& table, uint16_t name) {
    return name == table.waker_name || LookUpWaker(table, name);
  }
  // True if the strings are the argument `via` of a waker that sent packets.
  static bool IsNetRx(Table& table, uint16_t name, uint16_t text) {
    return (name == table.via_name && text == table.net_rx) || LookUpNetRx(table, name, text);
  }

 private:
  // A recorder writes as several providers, in turn, where there are more threads than a table
  // holds.
  static constexpr size_t kMaxTables = 24;

  [[gnu::noinline]] Table& Find(const fxt::ReaderProvider& provider);
  [[gnu::noinline]] static bool LookUpWaker(Table& table, uint16_t name);
  [[gnu::noinline]] static bool LookUpNetRx(Table& table, uint16_t name, uint16_t text);

  std::vector<std::unique_ptr<Table>> tables_;
  Table* last_ = nullptr;  // of the last call
  size_t next_ = 0;        // the table to reuse
};

}  // namespace facts
