// SPDX-License-Identifier: BSD-2-Clause
// Records of providers on their way into a window's file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "provider/record_batch.h"
#include "provider/section_writer.h"

namespace session {

class WindowProviders {
 public:
  // Of `batches`, which outlive it, those from `begin` to `end`, ns of CLOCK_MONOTONIC.
  WindowProviders(const std::vector<std::unique_ptr<provider::RecordBatch>>& batches,
                  uint64_t begin, uint64_t end);

  // Of the next one; UINT64_MAX: none.
  uint64_t NextTime() const {
    return next_ < waiting_.size() ? waiting_[next_].entry.time : UINT64_MAX;
  }
  void WriteNext(provider::SectionWriter& writer);
  // What providers lost, all of it as of `time`.
  void WriteLosses(uint64_t time, provider::SectionWriter& writer) const;

 private:
  struct Waiting {
    provider::RecordEntry entry;
    const provider::RecordBatch* batch;
  };

  const std::vector<std::unique_ptr<provider::RecordBatch>>& batches_;
  std::vector<Waiting> waiting_;  // by time
  size_t next_ = 0;
};

}  // namespace session
