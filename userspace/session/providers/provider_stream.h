// SPDX-License-Identifier: BSD-2-Clause
// Records of providers on their way into a file that is written as events come.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "capture/provider_events.h"
#include "provider/provider_set.h"
#include "provider/section_writer.h"

namespace session {

class ProviderStream final : public capture::ProviderEvents {
 public:
  // `providers` outlives it.
  explicit ProviderStream(provider::ProviderSet& providers) : providers_(providers) {}

  // Where records go from now on; outlives its use. Null: they wait.
  void set_writer(provider::SectionWriter* writer) { writer_ = writer; }
  // Alerts that came since the last call.
  std::vector<provider::Alert> TakeAlerts() { return std::move(alerts_); }

  void Collect() override;
  uint64_t NextTime() const override {
    return writer_ != nullptr && next_ < waiting_.size() ? waiting_[next_].entry.time : UINT64_MAX;
  }
  void DeliverNext() override;

 private:
  struct Batch {
    std::unique_ptr<provider::RecordBatch> records;
    size_t left = 0;  // entries that were not delivered
  };
  struct Waiting {
    provider::RecordEntry entry;
    Batch* batch;
  };

  provider::ProviderSet& providers_;
  provider::SectionWriter* writer_ = nullptr;
  std::vector<std::unique_ptr<Batch>> batches_;
  std::vector<Waiting> waiting_;  // by time
  size_t next_ = 0;
  std::vector<provider::Alert> alerts_;
};

}  // namespace session
