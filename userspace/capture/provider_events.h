// SPDX-License-Identifier: BSD-2-Clause
// Events of providers, delivered in time order between those of the kernel.
#pragma once

#include <cstdint>

namespace capture {

// Called on the draining thread. Times are ns of the kernel's CLOCK_MONOTONIC.
class ProviderEvents {
 public:
  virtual ~ProviderEvents() = default;
  // Collects the available events.
  virtual void Collect() = 0;
  // Time of the first event; UINT64_MAX: none.
  virtual uint64_t NextTime() const = 0;
  // Delivers the first event.
  virtual void DeliverNext() = 0;
};

}  // namespace capture
