// SPDX-License-Identifier: BSD-2-Clause
#include "perf/file/file_reader.h"

#include <fmt/core.h>

#include <cstring>
#include <utility>

namespace perf {

namespace {

// In pipe mode each record may extend the build id table. No real recording has more files.
constexpr size_t kMaxBuildIds = 1 << 18;

const SampleFormat kNoFormat;

uint64_t WordAt(util::Bytes bytes, size_t offset) {
  uint64_t word;
  std::memcpy(&word, bytes.subspan(offset, sizeof(word)).data(), sizeof(word));
  return word;
}

}  // namespace

util::Result<FileReader> FileReader::Open(std::unique_ptr<SeekableSource> source) {
  util::Result<FileHeader> header = ReadFileHeader(source.get());
  if (!header) return header.TakeError();
  FileReader reader;
  reader.source_ = std::move(source);
  reader.info_ = std::make_unique<FileInfo>(std::move(header->info));
  reader.stream_ =
      std::make_unique<RecordStream>(reader.source_.get(), header->data_offset, header->data_end);
  reader.header_truncated_ = header->truncated;
  return reader;
}

util::Result<std::optional<FileRecord>> FileReader::Next() {
  util::Result<std::optional<RawRecord>> raw = stream_->Next();
  if (!raw) return raw.TakeError();
  if (!raw->has_value()) return std::optional<FileRecord>();
  util::Status taken = TakeMetadata(**raw);
  if (!taken) {
    return util::Error{
        fmt::format("record at byte {}: {}", (*raw)->file_offset, taken.error().message), ""};
  }
  return std::optional<FileRecord>(FileRecord{**raw, EventOf(**raw)});
}

const SampleFormat& FileReader::format(const FileRecord& record) const {
  return record.event ? info_->events[*record.event].format : kNoFormat;
}

util::Status FileReader::TakeMetadata(const RawRecord& record) {
  switch (record.header.type) {
    case kRecordHeaderAttr:
      return ReadAttrRecord(record.body, info_.get());
    case kRecordHeaderFeature: {
      util::ByteCursor cursor(record.body);
      uint64_t feature;
      if (cursor.Read(&feature)) ReadFeature(feature, cursor.rest(), info_.get());
      return util::Ok();
    }
    case kRecordHeaderBuildId:
      if (info_->build_ids.size() < kMaxBuildIds) {
        if (auto entry = ReadBuildIdRecord(record.header.misc, record.body)) {
          info_->build_ids.push_back(std::move(*entry));
        }
      }
      return util::Ok();
    case kRecordEventUpdate:
      ReadEventUpdate(record.body, info_.get());
      return util::Ok();
    default:
      return util::Ok();
  }
}

std::optional<size_t> FileReader::EventOf(const RawRecord& record) const {
  const std::vector<EventDescription>& events = info_->events;
  if (events.empty() || record.header.type >= kRecordHeaderAttr) return std::nullopt;
  // With a single event the id is not needed. Records may have an id that the header does not list.
  if (events.size() == 1) return 0;
  // With several events perf puts the id at the same place in all of them.
  const SampleFormat& format = events.front().format;
  const size_t size = record.body.size();
  std::optional<size_t> offset;
  if (record.header.type == PERF_RECORD_SAMPLE) {
    offset = format.id_offset();
  } else if (const std::optional<size_t> from_end = format.id_offset_from_end()) {
    if (*from_end <= size) offset = size - *from_end;
  }
  if (!offset || *offset > size || size - *offset < sizeof(uint64_t)) {
    return record.header.type == PERF_RECORD_SAMPLE && format.id_offset()
               ? std::nullopt
               : std::optional<size_t>(0);
  }
  const uint64_t id = WordAt(record.body, *offset);
  // Records that perf synthesizes have the id 0.
  if (id == 0) return 0;
  const EventDescription* event = info_->FindEvent(id);
  if (event == nullptr) return std::nullopt;
  return static_cast<size_t>(event - events.data());
}

}  // namespace perf
