// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/progress.h"

#include <fmt/format.h>

#include "util/quantity.h"

namespace tools {
namespace {

constexpr uint64_t kInterval = 250'000'000;

}  // namespace

void Progress::Update(uint64_t now, const capture::CaptureSession& session,
                      const translate::TranslationStats& stats, uint64_t bytes, Console& console) {
  if (now < due_) return;
  due_ = now + kInterval;
  uint64_t events = 0;
  for (uint64_t count : stats.events) events += count;
  uint64_t lost = 0;
  for (uint64_t count : stats.lost) lost += count;
  const double seconds = static_cast<double>(now - shown_at_) / 1e9;
  const double rate = seconds > 0 ? static_cast<double>(events - shown_events_) / seconds : 0;
  console.Progress(fmt::format(
      "{}  {} events/s  {}  lost {}  fullest ring {}%", util::FormatDuration(now - begin_),
      util::FormatCount(static_cast<uint64_t>(rate)), util::FormatSize(bytes),
      util::FormatCount(lost), session.fullest_ring_percent()));
  shown_events_ = events;
  shown_at_ = now;
}

}  // namespace tools
