// SPDX-License-Identifier: BSD-2-Clause
// The CPU that a record belongs to.
#pragma once

#include <cstdint>
#include <optional>

#include "facts/timeline/timeline.h"
#include "fxt/reader.h"

namespace facts {

// Hand over every record in file order, then ask about it.
class CpuTracker {
 public:
  // Takes note of switches and losses.
  void Note(const fxt::Reader& reader) { timeline_.Add(reader); }

  // Of switches and wakeups their own; of last-branch blobs that in the payload; of other records
  // with a thread: an integer argument "cpu", the CPU of fxt-record's tracks of idle threads and
  // interrupts, or the CPU that the thread is on. Empty where none of these tells.
  std::optional<uint32_t> CpuOf(const fxt::Reader& reader) const;

 private:
  NoFacts none_;
  Timeline<NoFacts> timeline_{none_};
};

}  // namespace facts
