// SPDX-License-Identifier: BSD-2-Clause
#include "perf/file/file_info.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace perf {

namespace {

// Limits of the data kept from a header, which is untrusted input.
constexpr size_t kMaxEvents = 1 << 14;
constexpr size_t kMaxStrings = 1 << 16;

// HEADER_* bits of the features in use.
enum Feature : uint64_t {
  kFeatureBuildId = 2,
  kFeatureHostName = 3,
  kFeatureOsRelease = 4,
  kFeatureVersion = 5,
  kFeatureArch = 6,
  kFeatureCpuDescription = 8,
  kFeatureCommandLine = 11,
  kFeatureEventDescription = 12,
};

// EVENT_UPDATE kinds.
constexpr uint64_t kEventUpdateName = 2;

// perf_header_string: length in bytes, padding included, then the text.
bool ReadString(util::ByteCursor* cursor, std::string* out) {
  uint32_t size;
  util::Bytes text;
  if (!cursor->Read(&size) || !cursor->Take(size, &text)) return false;
  *out = util::TextUntilZero(text);
  return true;
}

void ReadCommandLine(util::Bytes section, FileInfo* info) {
  util::ByteCursor cursor(section);
  uint32_t count;
  if (!cursor.Read(&count)) return;
  std::string word;
  for (uint32_t i = 0; i < count && i < kMaxStrings && ReadString(&cursor, &word); ++i) {
    info->command_line.push_back(word);
  }
}

// The events with their names, in the order of the attrs.
void ReadEventNames(util::Bytes section, FileInfo* info) {
  util::ByteCursor cursor(section);
  uint32_t count;
  uint32_t attr_size;
  if (!cursor.Read(&count) || !cursor.Read(&attr_size)) return;
  for (uint32_t i = 0; i < count && i < info->events.size(); ++i) {
    uint32_t id_count;
    std::string name;
    if (!cursor.Skip(attr_size) || !cursor.Read(&id_count) || !ReadString(&cursor, &name) ||
        !cursor.Skip(uint64_t{id_count} * 8)) {
      return;
    }
    if (!name.empty()) info->events[i].name = name;
  }
}

void ReadBuildIds(util::Bytes section, FileInfo* info) {
  util::ByteCursor cursor(section);
  perf_event_header header;
  while (cursor.Read(&header)) {
    util::Bytes body;
    if (header.size < kRecordHeaderBytes || !cursor.Take(header.size - kRecordHeaderBytes, &body)) {
      return;
    }
    if (std::optional<FileBuildId> entry = ReadBuildIdRecord(header.misc, body)) {
      info->build_ids.push_back(std::move(*entry));
    }
  }
}

}  // namespace

const EventDescription* FileInfo::FindEvent(uint64_t id) const {
  const auto found = event_by_id_.find(id);
  return found == event_by_id_.end() ? nullptr : &events[found->second];
}

util::Status FileInfo::AddEvent(const perf_event_attr& attr, util::PackedView<uint64_t> ids) {
  if (events.size() >= kMaxEvents || ids.size() > kMaxEventIds - id_count_) {
    return util::Error{
        fmt::format("more than {} events or {} event ids announced", kMaxEvents, kMaxEventIds), ""};
  }
  id_count_ += ids.size();
  for (const uint64_t id : ids) event_by_id_.emplace(id, events.size());
  EventDescription event;
  event.attr = attr;
  event.format = SampleFormat::FromAttr(attr);
  event.ids.assign(ids.begin(), ids.end());
  event.name = EventNameFromAttr(attr);
  events.push_back(std::move(event));
  return util::Ok();
}

std::string EventNameFromAttr(const perf_event_attr& attr) {
  static constexpr const char* kHardware[] = {"cycles",
                                              "instructions",
                                              "cache-references",
                                              "cache-misses",
                                              "branches",
                                              "branch-misses",
                                              "bus-cycles",
                                              "stalled-cycles-frontend",
                                              "stalled-cycles-backend",
                                              "ref-cycles"};
  static constexpr const char* kSoftware[] = {
      "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
      "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
      "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"};
  std::string name;
  // On a hybrid machine the upper half of the config is the PMU (PERF_HW_EVENT_MASK).
  const uint64_t hardware = attr.config & 0xffffffff;
  if (attr.type == PERF_TYPE_HARDWARE && hardware < std::size(kHardware)) {
    name = kHardware[hardware];
  } else if (attr.type == PERF_TYPE_SOFTWARE && attr.config < std::size(kSoftware)) {
    name = kSoftware[attr.config];
  } else {
    return fmt::format("type {} config {:#x}", uint32_t{attr.type}, uint64_t{attr.config});
  }
  if (attr.exclude_user != attr.exclude_kernel) name += attr.exclude_kernel ? ":u" : ":k";
  return name;
}

void ReadFeature(uint64_t feature, util::Bytes section, FileInfo* info) {
  util::ByteCursor cursor(section);
  switch (feature) {
    case kFeatureBuildId:
      return ReadBuildIds(section, info);
    case kFeatureHostName:
      ReadString(&cursor, &info->host_name);
      return;
    case kFeatureOsRelease:
      ReadString(&cursor, &info->os_release);
      return;
    case kFeatureVersion:
      ReadString(&cursor, &info->perf_version);
      return;
    case kFeatureArch:
      ReadString(&cursor, &info->architecture);
      return;
    case kFeatureCpuDescription:
      ReadString(&cursor, &info->cpu_description);
      return;
    case kFeatureCommandLine:
      return ReadCommandLine(section, info);
    case kFeatureEventDescription:
      return ReadEventNames(section, info);
    default:
      return;
  }
}

std::optional<FileBuildId> ReadBuildIdRecord(uint16_t misc, util::Bytes body) {
  util::ByteCursor cursor(body);
  FileBuildId entry;
  util::Bytes id;
  // 24 bytes hold the id. If a bit of misc is set, byte 20 is its length.
  if (!cursor.Read(&entry.pid) || !cursor.Take(24, &id)) return std::nullopt;
  size_t size = util::BuildId::kMaxBytes;
  if (misc & kMiscBuildIdSize) size = std::min(size, std::to_integer<size_t>(id[20]));
  entry.build_id = util::BuildId::FromBytes(id.first(size));
  entry.kernel = (misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
  entry.file = util::TextUntilZero(cursor.rest());
  return entry;
}

util::Status ReadAttrRecord(util::Bytes body, FileInfo* info) {
  const std::optional<perf_event_attr> first = ReadAttr(body);
  const uint32_t size = first && first->size != 0 ? uint32_t{first->size} : kAttrSizeSmallest;
  if (!first || size < kAttrSizeSmallest || size > body.size()) {
    return util::Error{fmt::format("event description of {} bytes is truncated", body.size()), ""};
  }
  const util::PackedView<uint64_t> ids(body.subspan(size));
  return info->AddEvent(*ReadAttr(body.first(size)), ids);
}

void ReadEventUpdate(util::Bytes body, FileInfo* info) {
  util::ByteCursor cursor(body);
  uint64_t kind;
  uint64_t id;
  if (!cursor.Read(&kind) || !cursor.Read(&id) || kind != kEventUpdateName) return;
  const EventDescription* event = info->FindEvent(id);
  const std::string_view name = util::TextUntilZero(cursor.rest());
  if (event == nullptr || name.empty()) return;
  info->events[static_cast<size_t>(event - info->events.data())].name = name;
}

}  // namespace perf
