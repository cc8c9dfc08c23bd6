// SPDX-License-Identifier: BSD-2-Clause
// A recording's hold on the programs that take part: they begin, start, stop and end with it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "provider/provider_set.h"

namespace session {

// Nothing happens where nobody may take part.
class ProviderControl {
 public:
  // `providers` outlives it; null: nobody.
  ProviderControl(provider::ProviderSet* providers, provider::ProviderSessionOptions options,
                  fxt_buffer_mode mode);
  ProviderControl(const ProviderControl&) = delete;
  ProviderControl& operator=(const ProviderControl&) = delete;
  ~ProviderControl();

  provider::ProviderSet* set() const { return providers_; }
  // Before the kernel's side starts: programs have followed by then, most likely.
  void Start(bool retain);
  void Stop();

  // Where events are left in place. Takes note of what came; of what is older than `edge`, ns of
  // the kernel's CLOCK_MONOTONIC, nothing is needed any more.
  void Look(uint64_t edge);
  std::vector<std::unique_ptr<provider::RecordBatch>> Copy() const;
  // That came since the last call of this.
  std::vector<provider::Alert> TakeAlerts() { return std::move(alerts_); }
  uint64_t records() const { return providers_ ? providers_->records() : 0; }
  uint64_t lost() const { return providers_ ? providers_->lost() : 0; }

 private:
  provider::ProviderSet* providers_;
  std::vector<provider::Alert> alerts_;
};

}  // namespace session
