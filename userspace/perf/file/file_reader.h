// SPDX-License-Identifier: BSD-2-Clause
// Reads a perf.data file record by record in bounded memory: file and pipe mode, any number of
// events, compressed or truncated.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "perf/file/file_header.h"
#include "perf/file/file_info.h"
#include "perf/file/record_stream.h"
#include "perf/file/seekable_source.h"
#include "perf/record/record_decoder.h"
#include "util/result.h"

namespace perf {

// A record with its event.
struct FileRecord {
  RawRecord raw;
  // Index into FileInfo::events; empty if the record's id is unknown or no event is known yet.
  std::optional<size_t> event;
};

class FileReader {
 public:
  // Reads the header. Errors: see ReadFileHeader().
  static util::Result<FileReader> Open(std::unique_ptr<SeekableSource> source);

  // The next record in file order (see TimeOrder for time order); empty at the end. Records about
  // the file itself (events, features, build ids) also update info(). An error if the input cannot
  // be read or is malformed from here on; earlier records stay valid, and no later ones follow.
  util::Result<std::optional<FileRecord>> Next();

  // Grows during reading in pipe mode.
  const FileInfo& info() const { return *info_; }
  // The layout of `record`.
  const SampleFormat& format(const FileRecord& record) const;

  // The file ended prematurely.
  bool truncated() const { return header_truncated_ || stream_->truncated(); }
  uint64_t compressed_records() const { return stream_->compressed_records(); }

 private:
  FileReader() = default;

  // Updates info() from a record about the file.
  util::Status TakeMetadata(const RawRecord& record);
  std::optional<size_t> EventOf(const RawRecord& record) const;

  std::unique_ptr<SeekableSource> source_;
  std::unique_ptr<FileInfo> info_;
  std::unique_ptr<RecordStream> stream_;
  bool header_truncated_ = false;
};

}  // namespace perf
