// SPDX-License-Identifier: BSD-2-Clause
#include "session/providers/provider_control.h"

#include <utility>

#include "util/clock.h"

namespace session {
namespace {

// Timeout for providers to follow a start.
constexpr uint32_t kTimeoutMs = 100;

}  // namespace

ProviderControl::ProviderControl(provider::ProviderSet* providers,
                                 provider::ProviderSessionOptions options, fxt_buffer_mode mode)
    : providers_(providers) {
  options.mode = mode;
  if (providers_ != nullptr) providers_->Begin(options);
}

ProviderControl::~ProviderControl() {
  if (providers_ != nullptr) providers_->End();
}

void ProviderControl::Start(bool retain) {
  if (providers_ == nullptr) return;
  providers_->Start(util::KernelMonotonicAhead(), kTimeoutMs, retain);
}

void ProviderControl::Stop() {
  if (providers_ != nullptr) providers_->Stop();
}

void ProviderControl::Scan(uint64_t edge) {
  if (providers_ == nullptr) return;
  for (provider::Alert& alert : providers_->Scan(edge)) {
    if (alerts_.size() < provider::kMaxAlerts) alerts_.push_back(std::move(alert));
  }
}

provider::ProviderRecords ProviderControl::Copy() const {
  if (providers_ == nullptr) return {};
  return providers_->Copy();
}

}  // namespace session
