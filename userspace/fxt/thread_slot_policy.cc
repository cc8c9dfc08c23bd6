// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/detail/thread_slot_policy.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "fxt/format.h"

namespace fxt {
namespace {

static_assert(kMaxThreadIndex == (1 << 8) - 1);

ThreadSlotOptions Bounded(ThreadSlotOptions options) {
  options.tables = std::clamp(options.tables, 1u, ThreadSlotPolicy::kMaxTables);
  options.registration_weight =
      std::min<unsigned>(options.registration_weight, ThreadSlotPolicy::kBytesPerInlineRef);
  return options;
}

// One byte per table; one instruction processes all tables.
typedef uint8_t Bytes __attribute__((vector_size(ThreadSlotPolicy::kMaxTables)));

Bytes Load(const std::array<uint8_t, ThreadSlotPolicy::kMaxTables>& bytes) {
  Bytes loaded;
  std::memcpy(&loaded, bytes.data(), sizeof(loaded));
  return loaded;
}

// The first table with this value, kMaxTables if there is none.
unsigned FirstOf(const Bytes& bytes, uint8_t value) {
  const auto equal = reinterpret_cast<Bytes>(bytes == value);
  std::array<uint64_t, sizeof(Bytes) / sizeof(uint64_t)> words;
  std::memcpy(words.data(), &equal, sizeof(equal));
  for (unsigned i = 0; i < words.size(); ++i) {
    if (words[i] != 0) return i * 8 + static_cast<unsigned>(std::countr_zero(words[i])) / 8;
  }
  return ThreadSlotPolicy::kMaxTables;
}

}  // namespace

ThreadSlotPolicy::ThreadSlotPolicy(const ThreadSlotOptions& options) : options_(Bounded(options)) {
  tables_.reserve(options_.tables);
  Clear();
}

void ThreadSlotPolicy::Clear() {
  for (Entry& entry : threads_) entry.index.fill(0);
  tables_.assign(1, Table{});
  used_.fill(kMaxThreadIndex);
  used_[0] = 0;
  current_ = 0;
  wasted_bytes_ = 0;
  ++stats_.tables_opened;
  SetOpeningBytes();
}

void ThreadSlotPolicy::SetOpeningBytes() {
  opening_bytes_ = options_.opening_weight +
                   uint64_t{options_.opening_weight_per_thread} * tables_[current_].live;
}

// The entry of `thread`; null if its handle is out of bounds. Clears an entry of an earlier thread
// of this handle, whose end was not reported.
ThreadSlotPolicy::Entry* ThreadSlotPolicy::EntryOf(const ThreadKey& thread) {
  if (thread.handle > kMaxHandle) return nullptr;
  if (thread.handle >= threads_.size()) {
    threads_.resize(std::max<size_t>(thread.handle + size_t{1}, 2 * threads_.size()));
  }
  Entry& entry = threads_[thread.handle];
  if (entry.thread != thread.thread || entry.process != thread.process) {
    Release(entry);
    entry.process = thread.process;
    entry.thread = thread.thread;
  }
  return &entry;
}

void ThreadSlotPolicy::Release(Entry& entry) {
  for (size_t table = 0; table < tables_.size(); ++table) {
    uint8_t& index = entry.index[table];
    if (index == 0) continue;
    tables_[table].owner[index] = kNoHandle;
    --tables_[table].live;
    index = 0;
  }
}

void ThreadSlotPolicy::Forget(uint32_t handle) {
  if (handle >= threads_.size()) return;
  Release(threads_[handle]);
  threads_[handle] = Entry{};
  SetOpeningBytes();
}

void ThreadSlotPolicy::EmptyTable(uint8_t table) {
  Table& emptied = tables_[table];
  for (unsigned index = 1; index <= used_[table]; ++index) {
    const uint32_t handle = emptied.owner[index];
    if (handle != kNoHandle) threads_[handle].index[table] = 0;
  }
  emptied = Table{};
  used_[table] = 0;
}

void ThreadSlotPolicy::MakeCurrent(uint8_t table) {
  if (table == current_) return;
  tables_[current_].left_at = ++clock_;
  current_ = table;
  SetOpeningBytes();
}

uint8_t ThreadSlotPolicy::OpenTable() {
  uint8_t opened = 0;
  if (tables_.size() < options_.tables) {
    opened = static_cast<uint8_t>(tables_.size());
    tables_.emplace_back();
    used_[opened] = 0;
  } else {
    tables_[current_].left_at = ++clock_;
    const auto oldest = std::min_element(
        tables_.begin(), tables_.end(),
        [](const Table& left, const Table& right) { return left.left_at < right.left_at; });
    opened = static_cast<uint8_t>(oldest - tables_.begin());
    EmptyTable(opened);
  }
  MakeCurrent(opened);
  wasted_bytes_ = 0;
  ++stats_.tables_opened;
  SetOpeningBytes();
  return opened;
}

uint8_t ThreadSlotPolicy::CheapestTable(std::span<const ThreadKey> threads) {
  // All tables at once, a byte each. Two threads cost at most 8 + 2 * 16.
  const auto weight = static_cast<uint8_t>(options_.registration_weight);
  Bytes missing = {};
  for (const ThreadKey& thread : threads) {
    const Entry* entry = EntryOf(thread);
    missing -= entry == nullptr ? ~Bytes{} : reinterpret_cast<Bytes>(Load(entry->index) == 0);
  }
  const Bytes left = kMaxThreadIndex - Load(used_);
  const Bytes room = left < missing ? left : missing;
  const Bytes cost = kBytesPerSection + room * weight +
                     (missing - room) * static_cast<uint8_t>(kBytesPerInlineRef);
  // The current table needs no section record. Another one is chosen only if it is cheaper.
  const uint8_t here = cost[current_] - uint8_t{kBytesPerSection};
  if (here <= kBytesPerSection) return current_;
  if (const unsigned table = FirstOf(cost, kBytesPerSection); table < kMaxTables) {
    return static_cast<uint8_t>(table);  // it holds all threads
  }
  uint8_t best = current_, least = here;
  for (uint8_t table = 0; table < kMaxTables; ++table) {
    if (cost[table] < least) {
      best = table;
      least = cost[table];
    }
  }
  return best;
}

void ThreadSlotPolicy::Put(std::span<const ThreadKey> threads, std::span<Place> places) {
  assert(places.size() == threads.size());
  MakeCurrent(CheapestTable(threads));
  Table& table = tables_[current_];
  for (size_t i = 0; i < threads.size(); ++i) {
    places[i] = {};
    Entry* entry = EntryOf(threads[i]);
    if (entry != nullptr && entry->index[current_] == 0 && used_[current_] < kMaxThreadIndex) {
      const uint8_t index = ++used_[current_];
      ++table.live;
      table.owner[index] = threads[i].handle;
      entry->index[current_] = index;
      places[i].fresh = true;
      ++stats_.registrations;
    }
    if (entry != nullptr) places[i].index = entry->index[current_];
    if (places[i].index == 0) {
      ++stats_.inline_references;
      // A new table would not help a thread whose handle is out of bounds.
      if (entry != nullptr) wasted_bytes_ += kBytesPerInlineRef;
    }
  }
  SetOpeningBytes();
}

}  // namespace fxt
