// SPDX-License-Identifier: BSD-2-Clause
// Checks that ends of durations, async operations and flows have their begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "fxt/hash_factor.h"
#include "fxt/id_map.h"
#include "fxt/record.h"

namespace facts {

// Durations nest on a thread and are matched by depth; async operations and flows are matched by
// category and correlation id. No owner (KernelSections::OwnerOf) ends a span of another. Memory is
// bounded in bytes. An owner uses at most half of the free memory, so that later owners have room,
// too. From a begin that finds no room on, all events of its owner fit.
class SpanTracker {
 public:
  enum class Verdict : uint8_t { kFits, kLoneDurationEnd, kLoneAsync, kLoneFlow };

  static constexpr size_t kMaxBytes = size_t{64} << 20;

  SpanTracker() : SpanTracker(kMaxBytes) {}
  explicit SpanTracker(size_t max_bytes) : free_(max_bytes / kEntryBytes) {}

  // The verdict on an end, a step or an async instant. All other events fit.
  Verdict Note(uint64_t owner, const fxt::Event& event);
  // Begins that found no room.
  uint64_t left_out() const { return left_out_; }

 private:
  enum class Kind : uint8_t { kDuration, kAsync, kFlow };
  // A category is kept by its hash: its text has any length.
  struct Key {
    uint64_t id = 0;  // correlation id, or thread
    uint64_t category = 0;
    bool operator==(const Key&) const = default;
  };
  struct HashOfKey {
    size_t operator()(const Key& key) const { return fxt::HashOf(key.id, key.category); }
  };
  struct Owner {
    std::unordered_map<Key, uint64_t, HashOfKey> open;  // how often a span is open
    bool gave_up = false;
  };
  // A node of a map with its bucket.
  static constexpr size_t kEntryBytes = 64;

  static Key KeyOf(Kind kind, const fxt::Event& event);
  void Begin(uint64_t owner, const Key& key);
  bool IsOpen(uint64_t owner, const Key& key) const;
  bool End(uint64_t owner, const Key& key);

  size_t free_;                 // entries
  bool dropped_owner_ = false;  // the first begin of an owner found no room
  uint64_t left_out_ = 0;
  fxt::IdMap<Owner> owners_;
};

}  // namespace facts
