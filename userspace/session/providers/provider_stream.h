// SPDX-License-Identifier: BSD-2-Clause
// Delivers records of providers into a streaming file, in order with the kernel's events.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "capture/provider_events.h"
#include "provider/provider_set.h"
#include "provider/section_writer.h"

namespace session {

class ProviderStream final : public capture::ProviderEvents {
 public:
  // `providers` outlives the stream.
  explicit ProviderStream(provider::ProviderSet& providers) : providers_(providers) {}

  // Sets the destination of further records; the caller keeps it alive. Null: records wait.
  void set_writer(provider::SectionWriter* writer) { writer_ = writer; }
  // Alerts since the last call.
  std::vector<provider::Alert> TakeAlerts() { return std::exchange(alerts_, {}); }

  void Collect() override;
  uint64_t NextTime() const override {
    return writer_ != nullptr && next_ < waiting_.size() ? waiting_[next_].entry.time : UINT64_MAX;
  }
  void DeliverNext() override;

 private:
  struct Batch {
    std::shared_ptr<const provider::RecordBatch> records;
    size_t left = 0;  // items that were not delivered
  };
  // A record, the end of a provider's section (an entry with the offset kEnd), or the first of
  // refusals_ (a null batch).
  static constexpr uint32_t kEnd = UINT32_MAX;
  struct WaitingItem {
    provider::RecordEntry entry;
    Batch* batch;
  };

  void Add(std::shared_ptr<const provider::RecordBatch> records, uint64_t now);

  provider::ProviderSet& providers_;
  provider::SectionWriter* writer_ = nullptr;
  std::vector<std::unique_ptr<Batch>> batches_;
  std::vector<WaitingItem> waiting_;  // by time
  size_t next_ = 0;
  std::deque<provider::Refusal> refusals_;  // by time
  std::vector<provider::Alert> alerts_;
};

}  // namespace session
