// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/control/recording_status.h"

#include <unistd.h>

#include <cstdio>

#include "capture/capture_session.h"
#include "schema/event_info.h"
#include "session/process_time.h"
#include "util/clock.h"

namespace tools {
namespace {

uint64_t ResidentBytes() {
  FILE* file = fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  uint64_t all = 0;
  uint64_t resident = 0;
  const int read = fscanf(file, "%lu %lu", &all, &resident);
  fclose(file);
  return read == 2 ? resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

control::Status ProcessStatus() {
  control::Status status;
  status.cpu_time = session::ProcessTime();
  status.resident_bytes = ResidentBytes();
  return status;
}

control::Status StatusOf(session::Recording& recording, uint64_t started) {
  control::Status status = ProcessStatus();
  const session::RecordingStatus now = recording.status();
  status.covered = now.covered;
  status.started = started == 0 ? 0 : util::MonotonicNow() - started;
  status.buffer_bytes = now.buffer_bytes;
  status.events = now.events;
  status.lost = now.lost;
  const session::CategoryTotals totals = recording.CountCategories();
  const capture::CategorySet& recorded = recording.capture().options().categories;
  for (uint32_t category = 0; category < FXR_CATEGORIES; ++category) {
    if (!recorded.test(category)) continue;
    status.categories.push_back({std::string(schema::CategoryName(category)),
                                 totals.events[category], totals.lost[category]});
  }
  return status;
}

}  // namespace tools
