// SPDX-License-Identifier: BSD-2-Clause
// A thread reference ("Thread references" of the format document).
#pragma once

#include <cstdint>

#include "fxt/format.h"

namespace fxt {

// Eight bits as in a record, and their thread. Writing: an indexed reference needs no koids.
// Reading: the koids are resolved for both forms.
struct ThreadRef {
  uint8_t index = 0;  // 0: inline
  Koid process = 0;
  Koid thread = 0;

  // `index` is 1..255.
  static constexpr ThreadRef Indexed(uint8_t index, Koid process = 0, Koid thread = 0) {
    return {index, process, thread};
  }
  static constexpr ThreadRef Inline(Koid process, Koid thread) { return {0, process, thread}; }

  constexpr bool is_inline() const { return index == 0; }
  // Words of the inline process and thread ids behind the timestamp.
  constexpr size_t words() const { return is_inline() ? 2 : 0; }

  friend constexpr bool operator==(const ThreadRef&, const ThreadRef&) = default;
};

}  // namespace fxt
