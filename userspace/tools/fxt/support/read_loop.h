// SPDX-License-Identifier: BSD-2-Clause
// The read loop of subcommands.
#pragma once

#include <concepts>
#include <cstdint>

#include "facts/read_loop.h"
#include "fxt/reader.h"
#include "tables/scan_faults.h"
#include "tools/fxt/support/progress.h"

namespace tools {

// Feeds all records to `consumer` (see facts::ReadRecords) and shows progress.
template <typename Consumer>
void ReadAll(fxt::Reader& reader, Progress& progress, Consumer& consumer) {
  facts::ReadRecords(reader, consumer, [&] {
    progress.Update(reader.position());
    return true;
  });
}
// Calls `each` for every record until the end, an error, or `each` returns false.
template <std::invocable Each>
void ReadAll(fxt::Reader& reader, Progress& progress, Each&& each) {
  constexpr uint64_t kProgressStep = 65'536;
  for (uint64_t records = 1; facts::NextRecord(reader) == fxt::ReadStatus::kRecord; ++records) {
    if (!each()) return;
    if (records % kProgressStep == 0) progress.Update(reader.position());
  }
}

// Warns on standard error if a trace was cut or damage was skipped.
void WarnAboutDamage(const std::string& file, const fxt::Reader& reader);
// The same after a pass for rows; also if threads, names, spans or texts found no room.
void WarnAboutDamage(const std::string& file, const tables::ScanFaults& faults);

}  // namespace tools
