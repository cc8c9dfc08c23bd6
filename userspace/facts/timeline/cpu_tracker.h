// SPDX-License-Identifier: BSD-2-Clause
// Finds the CPU that a record belongs to.
#pragma once

#include <cstdint>
#include <optional>

#include "facts/timeline/timeline.h"
#include "fxt/reader.h"

namespace facts {

// Feed it every record in file order; CpuOf() may be called before or after Note() of the record.
class CpuTracker {
 public:
  // Takes note of switches and losses.
  void Note(const fxt::Reader& reader) { timeline_.Add(reader); }

  // The CPU of a switch, a wakeup or a last-branch blob is in the record. Other records have that
  // of an integer argument "cpu", of fxt-record's tracks of idle threads and interrupts, or of the
  // thread that they are on. Empty where there is none of these.
  std::optional<uint32_t> CpuOf(const fxt::Reader& reader) const;

 private:
  NoFacts none_;
  Timeline<NoFacts> timeline_{none_};
};

}  // namespace facts
