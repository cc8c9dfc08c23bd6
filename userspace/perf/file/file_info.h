// SPDX-License-Identifier: BSD-2-Clause
// The description in a perf.data file: its events and the machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "perf/record/perf_abi.h"
#include "perf/record/sample_format.h"
#include "util/build_id.h"
#include "util/byte_cursor.h"
#include "util/result.h"

namespace perf {

// One event that was recorded (a perf_event_attr with its ids).
struct EventDescription {
  perf_event_attr attr{};
  SampleFormat format;
  std::vector<uint64_t> ids;  // one per CPU or task that it was opened on; may be empty
  std::string name;           // "cycles:u", or derived from type and config if none is stored
};

// An entry of the build id table: a file that was sampled.
struct FileBuildId {
  uint32_t pid = 0;
  bool kernel = false;
  util::BuildId build_id;
  std::string file;
};

struct FileInfo {
  bool pipe_mode = false;
  std::vector<EventDescription> events;
  std::vector<FileBuildId> build_ids;
  std::string host_name;
  std::string os_release;
  std::string perf_version;
  std::string architecture;
  std::string cpu_description;
  std::vector<std::string> command_line;

  // The event of a record with this id; null for an unknown id.
  const EventDescription* FindEvent(uint64_t id) const;
  // Adds an event under its ids. An error beyond the limits on events and ids.
  util::Status AddEvent(const perf_event_attr& attr, util::PackedView<uint64_t> ids);

 private:
  std::unordered_map<uint64_t, size_t> event_by_id_;
  size_t id_count_ = 0;
};

// A name for an event whose file has none: "cycles", "cpu-clock", "type 4 config 0x1234".
std::string EventNameFromAttr(const perf_event_attr& attr);

// Reads one feature section (tools/perf/Documentation/perf.data-file-format.txt, HEADER_*). Unused
// features are skipped; malformed ones are read as far as possible. `section` has at most
// kMaxFeatureBytes.
inline constexpr size_t kMaxFeatureBytes = 64 << 20;
// Limit of ids over all events: a thousand events on four thousand CPUs.
inline constexpr size_t kMaxEventIds = 1 << 22;
void ReadFeature(uint64_t feature, util::Bytes section, FileInfo* info);

// Body of a HEADER_BUILD_ID record, which is also an entry of the build id section.
std::optional<FileBuildId> ReadBuildIdRecord(uint16_t misc, util::Bytes body);

// Body of a HEADER_ATTR record: an attr and its ids.
util::Status ReadAttrRecord(util::Bytes body, FileInfo* info);

// Body of an EVENT_UPDATE record: a name for an event.
void ReadEventUpdate(util::Bytes body, FileInfo* info);

}  // namespace perf
