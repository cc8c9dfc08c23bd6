// SPDX-License-Identifier: BSD-2-Clause
// Splits the bytes of a perf.data file into records, in bounded memory. A compressed record is
// replaced by its contents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "perf/file/seekable_source.h"
#include "perf/file/zstd_decoder.h"
#include "perf/record/perf_abi.h"
#include "util/result.h"

namespace perf {

// A record of the stream. `body` (the part after the header) is valid until the next call of
// Next().
struct RawRecord {
  perf_event_header header{};
  util::Bytes body;
  // Offset of the record in the file; for a compressed one, of its container.
  uint64_t file_offset = 0;
};

class RecordStream {
 public:
  // Reads `source` from its current position, which is `file_offset`, to the file offset `end`, or
  // to the end of the input if that is empty. The source must outlive the stream.
  RecordStream(SeekableSource* source, uint64_t file_offset, std::optional<uint64_t> end);

  // The next record; empty at the end. An error if the input cannot be read, a record's size is
  // smaller than its header, or compressed data is malformed; nothing can be read afterwards.
  util::Result<std::optional<RawRecord>> Next();

  // The input ended inside a record.
  bool truncated() const { return truncated_; }
  // The file offset of the next read.
  uint64_t file_offset() const { return file_offset_; }
  uint64_t compressed_records() const { return compressed_records_; }

 private:
  // Tries to buffer `bytes` of the file; false at the end of the input.
  util::Result<bool> Fill(size_t bytes);
  util::Result<std::optional<RawRecord>> NextInFile();
  // The next whole record of the decompressed stream; empty if it needs more input.
  util::Result<std::optional<RawRecord>> NextInflated();
  // Skips the data that follows an AUXTRACE or HEADER_TRACING_DATA record outside of its size. An
  // invalid size skips to the end of the input.
  util::Status SkipPayload(uint64_t bytes);
  void Consume(size_t bytes);

  SeekableSource* source_;
  uint64_t file_offset_;
  std::optional<uint64_t> end_;
  std::vector<std::byte> buffer_;  // file bytes [begin_, filled_) are not consumed yet
  size_t begin_ = 0;
  size_t filled_ = 0;
  size_t pending_ = 0;  // bytes of the record handed out last
  bool at_end_ = false;
  bool truncated_ = false;
  bool failed_ = false;

  std::optional<ZstdDecoder> zstd_;
  util::Bytes compressed_;  // rest of the current compressed record; a view of buffer_
  bool inflating_ = false;
  uint64_t container_offset_ = 0;
  std::vector<std::byte> inflated_;
  size_t inflated_begin_ = 0;
  size_t inflated_filled_ = 0;
  uint64_t compressed_records_ = 0;
};

}  // namespace perf
