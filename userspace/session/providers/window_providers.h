// SPDX-License-Identifier: BSD-2-Clause
// Writes records of providers into the file of a window, in time order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "provider/record_batch.h"
#include "provider/section_writer.h"

namespace session {

class WindowProviders {
 public:
  // Writes the records from `begin` to `end` (ns of CLOCK_MONOTONIC). Frees each batch once it is
  // written.
  WindowProviders(provider::ProviderRecords records, uint64_t begin, uint64_t end);

  // Time of the next record; UINT64_MAX: none.
  uint64_t NextTime() const { return heap_.empty() ? UINT64_MAX : heap_.front().time; }
  void WriteNext(provider::SectionWriter& writer);
  // Writes the losses of all providers, as of `time`.
  void WriteLosses(uint64_t time, provider::SectionWriter& writer) const;

 private:
  // The next record of a batch, or of the refusals for the batch index kRefusals.
  struct Cursor {
    uint64_t time;
    size_t batch;
    size_t next;
  };
  static constexpr size_t kRefusals = SIZE_MAX;
  static bool IsLater(const Cursor& a, const Cursor& b) {
    return a.time != b.time ? a.time > b.time : a.batch > b.batch;
  }
  // Adds the cursor. False: its batch is exhausted.
  bool Push(size_t batch, size_t next);

  provider::ProviderRecords records_;
  const uint64_t end_;
  std::vector<Cursor> heap_;
};

}  // namespace session
