// SPDX-License-Identifier: BSD-2-Clause
// The read loop of subcommands.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <cstdint>

#include "fxt/reader.h"
#include "tools/fxt/support/progress.h"

namespace tools {

// Calls `each` for every record until the end, an error, or `each` says false. Waits where standard
// input is a non-blocking pipe.
template <typename Each>
void ReadAll(fxt::Reader& reader, Progress& progress, Each&& each) {
  constexpr uint64_t kProgressStep = 65'536;
  for (uint64_t records = 1;; ++records) {
    const fxt::ReadStatus status = reader.Next();
    if (status == fxt::ReadStatus::kNeedMore) {
      pollfd input = {STDIN_FILENO, POLLIN, 0};
      poll(&input, 1, 100);
      continue;
    }
    if (status != fxt::ReadStatus::kRecord || !each()) return;
    if (records % kProgressStep == 0) progress.Update(reader.position());
  }
}

// Warns on standard error if a trace was cut or damage was skipped.
void WarnAboutDamage(const std::string& file, const fxt::Reader& reader);

}  // namespace tools
