// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/progress.h"

#include <fmt/format.h>

#include "util/quantity.h"

namespace tools {
namespace {

constexpr uint64_t kInterval = 250'000'000;

}  // namespace

void Progress::Update(uint64_t now, const session::Recording& recording, Console& console) {
  if (now < due_) return;
  due_ = now + kInterval;
  const session::RecordingStatus status = recording.status();
  const double seconds = static_cast<double>(now - shown_at_) / 1e9;
  const double rate =
      seconds > 0 ? static_cast<double>(status.events - shown_events_) / seconds : 0;
  console.Progress(fmt::format(
      "{}  {} events/s  {}  lost {}  fullest ring {}%", util::FormatDuration(now - begin_),
      util::FormatCount(static_cast<uint64_t>(rate)), util::FormatSize(status.record_bytes),
      util::FormatCount(status.lost), status.fullest_percent));
  shown_events_ = status.events;
  shown_at_ = now;
}

}  // namespace tools
