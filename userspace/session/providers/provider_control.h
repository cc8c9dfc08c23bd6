// SPDX-License-Identifier: BSD-2-Clause
// Controls the providers of one recording: their session begins, starts, stops and ends with it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "provider/provider_set.h"

namespace session {

// Does nothing for a recording without providers.
class ProviderControl {
 public:
  // `providers` outlives the control; null: none.
  ProviderControl(provider::ProviderSet* providers, provider::ProviderSessionOptions options,
                  fxt_buffer_mode mode);
  ProviderControl(const ProviderControl&) = delete;
  ProviderControl& operator=(const ProviderControl&) = delete;
  ~ProviderControl();

  provider::ProviderSet* set() const { return providers_; }
  // Call before the kernel's events start. Waits up to 100 ms for providers to follow.
  void Start(bool retain);
  void Stop();

  // Oneshot, circular: counts new records and drops those before `edge`, ns of the kernel's
  // CLOCK_MONOTONIC.
  void Scan(uint64_t edge);
  provider::ProviderRecords Copy() const;
  // Alerts since the last call.
  std::vector<provider::Alert> TakeAlerts() { return std::exchange(alerts_, {}); }
  uint64_t records() const { return providers_ ? providers_->records() : 0; }
  uint64_t lost() const { return providers_ ? providers_->lost() : 0; }

 private:
  provider::ProviderSet* providers_;
  std::vector<provider::Alert> alerts_;
};

}  // namespace session
