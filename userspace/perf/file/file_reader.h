// SPDX-License-Identifier: BSD-2-Clause
// A perf.data file, record by record in bounded memory: file and pipe mode, any number of events,
// compressed or not, cut off or not.
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

// A record and the event that it belongs to.
struct FileRecord {
  RawRecord raw;
  // Index into FileInfo::events; empty when the record's id is nobody's or no event is known yet.
  std::optional<size_t> event;
};

class FileReader {
 public:
  // Reads the head. Errors: see ReadFileHeader().
  static util::Result<FileReader> Open(std::unique_ptr<SeekableSource> source);

  // The next record in the order of the file (see TimeOrder for the order of time); empty at the
  // end. Records about the file itself (events, features, build ids) are returned, too, after they
  // went into info(). Error: the input cannot be read or is damaged beyond this point; what came
  // before is good, and nothing comes after.
  util::Result<std::optional<FileRecord>> Next();

  // In pipe mode it grows while the file is read.
  const FileInfo& info() const { return *info_; }
  // The layout that `record` has.
  const SampleFormat& format(const FileRecord& record) const;

  // The file ended before its recorder meant it to.
  bool truncated() const { return header_truncated_ || stream_->truncated(); }
  uint64_t compressed_records() const { return stream_->compressed_records(); }

 private:
  FileReader() = default;

  // What the file says about itself in records.
  util::Status TakeMetadata(const RawRecord& record);
  std::optional<size_t> EventOf(const RawRecord& record) const;

  std::unique_ptr<SeekableSource> source_;
  std::unique_ptr<FileInfo> info_;
  std::unique_ptr<RecordStream> stream_;
  bool header_truncated_ = false;
};

}  // namespace perf
