// SPDX-License-Identifier: BSD-2-Clause
// A thread's index, and the provider whose thread table holds it ("Thread references" of the format
// document).
#pragma once

#include <cstdint>

namespace fxt {

// Caches the slot beside the thread, to save a lookup. It stays valid as long as the thread lives:
// an index is never given to another thread, and providers are never opened twice.
class ThreadSlot {
 public:
  // In no table.
  constexpr ThreadSlot() = default;
  // `index` 0 also means in no table. `provider` is 1 or more.
  constexpr ThreadSlot(uint32_t provider, uint8_t index)
      : word_(index == 0 ? 0 : uint64_t{provider} << 8 | index) {}

  // The index in the table of `provider`: 0..255 if that table holds the thread, a greater number
  // otherwise.
  constexpr uint64_t IndexIn(uint32_t provider) const {
    return word_ ^ uint64_t { provider } << 8;
  }

 private:
  uint64_t word_ = 0;
};

}  // namespace fxt
