// SPDX-License-Identifier: BSD-2-Clause
// The loop that reads the records of a trace.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

#include "fxt/reader.h"

namespace facts {

// Steps to the next record. Waits while a source (a non-blocking pipe) has no bytes.
inline fxt::ReadStatus NextRecord(fxt::Reader& reader) {
  fxt::ReadStatus status = reader.Next();
  while (status == fxt::ReadStatus::kNeedMore) [[unlikely]] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      status = reader.Next();
    }
  return status;
}

// Feeds at most `most` records to `consumer`: by its AddFastPath(reader, most), if it has one, and
// by Add(reader). Returns kRecord if there may be more, or the status that ended the trace.
template <typename Consumer>
fxt::ReadStatus ReadSome(fxt::Reader& reader, Consumer& consumer, uint64_t most) {
  for (uint64_t records = 0; records < most; ++records) {
    if constexpr (requires { consumer.AddFastPath(reader, most); }) {
      records += consumer.AddFastPath(reader, most - records);
      if (records == most) break;
    }
    const fxt::ReadStatus status = NextRecord(reader);
    if (status != fxt::ReadStatus::kRecord) return status;
    consumer.Add(reader);
  }
  return fxt::ReadStatus::kRecord;
}

// Feeds all records to `consumer`. After each 65,536 records `on_step` is called, for progress; the
// loop ends if it returns false.
template <typename Consumer, typename OnStep>
void ReadRecords(fxt::Reader& reader, Consumer& consumer, OnStep&& on_step) {
  constexpr uint64_t kStep = 65'536;
  while (ReadSome(reader, consumer, kStep) == fxt::ReadStatus::kRecord) {
    if (!on_step()) return;
  }
}
template <typename Consumer>
void ReadRecords(fxt::Reader& reader, Consumer& consumer) {
  ReadRecords(reader, consumer, [] { return true; });
}

}  // namespace facts
