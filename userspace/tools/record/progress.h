// SPDX-License-Identifier: BSD-2-Clause
// The progress line of a recording in the foreground.
#pragma once

#include <cstdint>

#include "session/recording.h"
#include "tools/record/process/console.h"

namespace tools {

class Progress {
 public:
  // `begin`: ns of CLOCK_MONOTONIC.
  explicit Progress(uint64_t begin) : begin_(begin), shown_at_(begin), due_(begin) {}

  // Shows the line if its interval has passed.
  void Update(uint64_t now, const session::Recording& recording, Console& console);

 private:
  const uint64_t begin_;
  uint64_t shown_at_;
  uint64_t due_;
  uint64_t shown_events_ = 0;
};

}  // namespace tools
