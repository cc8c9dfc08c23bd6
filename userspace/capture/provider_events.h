// SPDX-License-Identifier: BSD-2-Clause
// Events that come from elsewhere than the kernel, and that a capture delivers between its own.
#pragma once

#include <cstdint>

namespace capture {

// On the thread that drains. Times are ns of the kernel's CLOCK_MONOTONIC.
class ProviderEvents {
 public:
  virtual ~ProviderEvents() = default;
  // Takes in what there is by now.
  virtual void Collect() = 0;
  // Of the first one waiting; UINT64_MAX: none.
  virtual uint64_t NextTime() const = 0;
  // Delivers it.
  virtual void DeliverNext() = 0;
};

}  // namespace capture
