// SPDX-License-Identifier: BSD-2-Clause
#include "perf/file/record_stream.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace perf {

namespace {

// At least twice the largest record, so that a whole one fits after compaction.
constexpr size_t kBufferBytes = 256 * 1024;
static_assert(kBufferBytes >= 2 * (kMaxRecordBytes + 1));

perf_event_header HeaderAt(const std::byte* bytes) {
  perf_event_header header;
  std::memcpy(&header, bytes, sizeof(header));
  return header;
}

util::Error BadSize(const perf_event_header& header, uint64_t offset) {
  return {fmt::format("record at byte {} ({}) has a size of {} bytes, less than its header", offset,
                      header.type, header.size),
          "the file is damaged from there on"};
}

}  // namespace

RecordStream::RecordStream(SeekableSource* source, uint64_t file_offset,
                           std::optional<uint64_t> end)
    : source_(source), file_offset_(file_offset), end_(end), buffer_(kBufferBytes) {}

util::Result<std::optional<RawRecord>> RecordStream::Next() {
  if (failed_) return std::optional<RawRecord>();
  for (;;) {
    util::Result<std::optional<RawRecord>> record = inflating_ ? NextInflated() : NextInFile();
    if (!record) {
      failed_ = true;
      return record;
    }
    if (inflating_) {
      if (record->has_value()) return record;
      inflating_ = false;
      continue;
    }
    if (!record->has_value()) {
      if (inflated_begin_ != inflated_filled_) truncated_ = true;
      return record;
    }
    const RawRecord& raw = **record;
    if (raw.header.type != kRecordCompressed && raw.header.type != kRecordCompressed2) {
      return record;
    }
    compressed_ = raw.body;
    if (raw.header.type == kRecordCompressed2) {
      // Padded to eight bytes; the first word is the size of the data.
      util::ByteCursor cursor(raw.body);
      uint64_t size = 0;
      if (!cursor.Read(&size) || !cursor.Take(size, &compressed_)) {
        failed_ = true;
        return util::Error{
            fmt::format("compressed record at byte {} is shorter than its data", raw.file_offset),
            "the file is damaged from there on"};
      }
    }
    ++compressed_records_;
    container_offset_ = raw.file_offset;
    inflating_ = true;
    if (!zstd_) {
      zstd_.emplace();
      inflated_.resize(kBufferBytes);
    }
  }
}

void RecordStream::Consume(size_t bytes) {
  begin_ += bytes;
  file_offset_ += bytes;
}

util::Result<bool> RecordStream::Fill(size_t bytes) {
  if (filled_ - begin_ >= bytes) return true;
  if (at_end_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, filled_ - begin_);
  filled_ -= begin_;
  begin_ = 0;
  size_t want = buffer_.size() - filled_;
  if (end_) {
    const uint64_t place = file_offset_ + filled_;
    want = static_cast<size_t>(std::min<uint64_t>(want, *end_ > place ? *end_ - place : 0));
  }
  util::Result<size_t> got = source_->Read({buffer_.data() + filled_, want});
  if (!got) return got.TakeError();
  filled_ += *got;
  at_end_ = *got < buffer_.size() - (filled_ - *got);
  return filled_ - begin_ >= bytes;
}

util::Result<std::optional<RawRecord>> RecordStream::NextInFile() {
  Consume(pending_);
  pending_ = 0;
  util::Result<bool> there = Fill(kRecordHeaderBytes);
  if (!there) return there.TakeError();
  if (!*there) {
    truncated_ |= filled_ != begin_;
    return std::optional<RawRecord>();
  }
  const perf_event_header header = HeaderAt(buffer_.data() + begin_);
  if (header.size < kRecordHeaderBytes) return BadSize(header, file_offset_);
  there = Fill(header.size);
  if (!there) return there.TakeError();
  if (!*there) {
    truncated_ = true;
    return std::optional<RawRecord>();
  }
  RawRecord record;
  record.header = header;
  record.body = util::Bytes(buffer_.data() + begin_, header.size).subspan(kRecordHeaderBytes);
  record.file_offset = file_offset_;
  pending_ = header.size;

  uint64_t payload = 0;
  util::ByteCursor cursor(record.body);
  if (header.type == kRecordAuxtrace) {
    cursor.Read(&payload);
  } else if (header.type == kRecordHeaderTracingData) {
    uint32_t size = 0;
    cursor.Read(&size);
    payload = (uint64_t{size} + 7) / 8 * 8;
  }
  if (payload != 0) {
    util::Status skipped = SkipPayload(payload);
    if (!skipped) return skipped.TakeError();
    // The record's body was dropped with it; its fields have no reader.
    record.body = {};
  }
  return std::optional<RawRecord>(record);
}

util::Status RecordStream::SkipPayload(uint64_t bytes) {
  Consume(pending_);
  pending_ = 0;
  while (bytes > 0) {
    util::Result<bool> there = Fill(1);
    if (!there) return there.TakeError();
    if (!*there) {
      truncated_ = true;
      break;
    }
    const size_t step = static_cast<size_t>(std::min<uint64_t>(bytes, filled_ - begin_));
    Consume(step);
    bytes -= step;
  }
  return util::Ok();
}

util::Result<std::optional<RawRecord>> RecordStream::NextInflated() {
  for (;;) {
    const size_t held = inflated_filled_ - inflated_begin_;
    if (held >= kRecordHeaderBytes) {
      const perf_event_header header = HeaderAt(inflated_.data() + inflated_begin_);
      if (header.size < kRecordHeaderBytes) return BadSize(header, container_offset_);
      if (held >= header.size) {
        RawRecord record;
        record.header = header;
        record.body = util::Bytes(inflated_.data() + inflated_begin_, header.size)
                          .subspan(kRecordHeaderBytes);
        record.file_offset = container_offset_;
        inflated_begin_ += header.size;
        return std::optional<RawRecord>(record);
      }
    }
    std::memmove(inflated_.data(), inflated_.data() + inflated_begin_, held);
    inflated_begin_ = 0;
    inflated_filled_ = held;
    const std::span<std::byte> room(inflated_.data() + held, inflated_.size() - held);
    util::Result<size_t> produced = zstd_->Decode(&compressed_, room);
    if (!produced) {
      return util::Error{fmt::format("compressed record at byte {}: {}", container_offset_,
                                     produced.error().message),
                         "the file is damaged from there on"};
    }
    inflated_filled_ += *produced;
    if (*produced == 0) return std::optional<RawRecord>();
  }
}

}  // namespace perf
