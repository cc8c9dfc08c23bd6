// SPDX-License-Identifier: BSD-2-Clause
// What stands in a raw log: 16 bytes of heading, then items, each with a header of 8 bytes and
// filled up with zeros to a multiple of 8. Structs of include/fxt_record/ are in it as they are in
// memory, so a log is for the version and the machine that wrote it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fxt_record/event.h"

namespace raw_log {

struct Heading {
  char magic[8];
  uint32_t version;
  uint16_t slot_types;  // of the version that wrote it: others mean other slots
  uint16_t categories;
};
static_assert(sizeof(Heading) == 16);
inline constexpr Heading kHeading = {
    {'f', 'x', 'r', 'a', 'w', 'l', 'o', 'g'}, 1, FXR_SLOT_TYPES, FXR_CATEGORIES};

enum class ItemKind : uint8_t {
  kSlot = 1,
  kSideEvent,
  kBranchSample,
  kMapping,
  kLoss,
  kTick,
  kClockOffset,
  kSnapshotTask,
  kStart,
  kFinalTask,
  // What a model::IdentitySource answered, before the event about which it was asked.
  kText,
  kLookUp,
  kCgroupPath,
  kIrqName,
  kMappings,
};

struct ItemHeader {
  uint32_t size;  // bytes that follow, without the zeros
  uint16_t cpu;   // of slots
  ItemKind kind;
  uint8_t pad;
};
static_assert(sizeof(ItemHeader) == 8);

// Longer ones are not written, and none is read.
inline constexpr size_t kMaxItemBytes = size_t{16} << 20;

constexpr size_t Padded(size_t bytes) { return (bytes + 7) & ~size_t{7}; }

}  // namespace raw_log
