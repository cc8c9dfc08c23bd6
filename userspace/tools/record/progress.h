// SPDX-License-Identifier: BSD-2-Clause
// The line that shows how a recording goes.
#pragma once

#include <cstdint>

#include "capture/capture_session.h"
#include "tools/record/process/console.h"
#include "translate/translation_stats.h"

namespace tools {

class Progress {
 public:
  // `begin`: ns of CLOCK_MONOTONIC.
  explicit Progress(uint64_t begin) : begin_(begin), shown_at_(begin), due_(begin) {}

  // Shows it, if it is time to. `bytes`: of records, so far.
  void Update(uint64_t now, const capture::CaptureSession& session,
              const translate::TranslationStats& stats, uint64_t bytes, Console& console);

 private:
  const uint64_t begin_;
  uint64_t shown_at_;
  uint64_t due_;
  uint64_t shown_events_ = 0;
};

}  // namespace tools
