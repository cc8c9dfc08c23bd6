// SPDX-License-Identifier: BSD-2-Clause
// A thread's index, and the provider whose thread table holds it ("Thread references" of the format
// document).
#pragma once

#include <cstdint>

namespace fxt {

// For who keeps it beside the thread, to spare a look into the tables. It stays good as long as the
// thread is the same: an index is never given to another one, and providers are never opened twice.
class ThreadSlot {
 public:
  // In no table.
  constexpr ThreadSlot() = default;
  // `index` 0 is in no table as well. `provider`: 1 or more.
  constexpr ThreadSlot(uint32_t provider, uint8_t index)
      : word_(index == 0 ? 0 : uint64_t{provider} << 8 | index) {}

  // Its index in the table of `provider`; 0..255 where the table holds it, and more where it does
  // not.
  constexpr uint64_t IndexIn(uint32_t provider) const {
    return word_ ^ uint64_t { provider } << 8;
  }

 private:
  uint64_t word_ = 0;
};

}  // namespace fxt
