// SPDX-License-Identifier: BSD-2-Clause
// Bytes of a perf.data file into whole records, one after the other, in bounded memory. Compressed
// records are replaced by the records in them.
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

// A record as it stands in the stream. `body` (what follows the header) is valid until the next
// call of Next().
struct RawRecord {
  perf_event_header header{};
  util::Bytes body;
  // Where the record stands in the file; for one that was compressed, where its container does.
  uint64_t file_offset = 0;
};

class RecordStream {
 public:
  // Reads `source` from its current place, which is `file_offset`, to `end` (a file offset) or, if
  // that is empty, to the end of the input. The source must outlive the stream.
  RecordStream(SeekableSource* source, uint64_t file_offset, std::optional<uint64_t> end);

  // The next record; empty at the end. Error: the input cannot be read, a record's size is smaller
  // than its header, or compressed data is damaged. Nothing can be read after an error.
  util::Result<std::optional<RawRecord>> Next();

  // The input ended in the middle of a record.
  bool truncated() const { return truncated_; }
  // Where the next byte will be read.
  uint64_t file_offset() const { return file_offset_; }
  uint64_t compressed_records() const { return compressed_records_; }

 private:
  // Tries to have `bytes` of the file in the buffer; false at the end of the input.
  util::Result<bool> Fill(size_t bytes);
  util::Result<std::optional<RawRecord>> NextInFile();
  // The next whole record of the compressed stream; empty when more of it is needed.
  util::Result<std::optional<RawRecord>> NextInflated();
  // Passes over the data that stands behind an AUXTRACE or HEADER_TRACING_DATA record and is not
  // part of its size. A pointless size ends at the end of the input.
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
  util::Bytes compressed_;  // what is left of the current compressed record; views buffer_
  bool inflating_ = false;
  uint64_t container_offset_ = 0;
  std::vector<std::byte> inflated_;
  size_t inflated_begin_ = 0;
  size_t inflated_filled_ = 0;
  uint64_t compressed_records_ = 0;
};

}  // namespace perf
